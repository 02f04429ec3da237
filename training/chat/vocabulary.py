"""Chooses the pieces that a smaller vocabulary keeps, by what the teacher says and what the texts need.

    python -m training.chat.vocabulary --size 16384

Starts from all pieces and takes away, one after the other, the piece whose loss costs the fewest tokens:
a piece that no
kept merge builds on, with the lowest count; each of its occurrences then costs one token more, and counts
for its two
parts. So the kept set stays closed: every piece is reached by kept merges.
"""

from __future__ import annotations

import argparse
import heapq
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tokenizers import Tokenizer

from training.chat import command, corpus, facts, prompts, teacher
from training.chat.student import cut_tokenizer
from training.chat.teacher import TokenizerParts
from training.chat.tokenizer import SPECIAL_PIECES
from training.common.commands import finish
from training.common.places import text_file

SAMPLE_CHARACTERS = 4_000_000  # of each plain text
CHAT, STORIES, ENCYCLOPEDIA = "chat", "tinystories", "wikitext2"
WEIGHTS = {CHAT: 0.5, STORIES: 0.3, ENCYCLOPEDIA: 0.2}  # share of each text in the counts


def count_pieces(tokenizer: Tokenizer, texts: Iterable[str]) -> Counter[int]:
    counts: Counter[int] = Counter()
    for encoding in tokenizer.encode_batch(list(texts)):
        counts.update(encoding.ids)
    return counts


def mixed_counts(tokenizer: Tokenizer, texts: dict[str, list[str]]) -> dict[int, float]:
    """Occurrences in a million tokens of the mixture."""
    mixed: Counter[int] = Counter()
    for name, parts in texts.items():
        counts = count_pieces(tokenizer, parts)
        total = counts.total()
        for index, count in counts.items():
            mixed[index] += 1e6 * WEIGHTS[name] * count / total  # type: ignore[assignment]
    return dict(mixed)


def forced_words() -> set[str]:
    """Words that must stay one piece where the teacher has them as one: names, places, calendar, numbers,
    colours, animals.
    """
    words = {
        *facts.MONTHS,
        *facts.WEEKDAYS,
        *facts.NUMBER_WORDS,
        *facts.ORDINALS,
        *prompts.NAMES,
        *prompts.ANIMALS,
    }
    for table in (facts.CAPITALS, facts.LANGUAGES, facts.CONTINENTS, facts.COLOURS, facts.OPPOSITES):
        for key, values in table.items():
            for text in (key, *values.split("|")):
                words.update(text.split())
    return {word for word in words if word.isalpha()}


def forced_pieces(pieces: Sequence[str]) -> set[int]:
    """Ids of the words of forced_words() that are one piece after a space (`Ġ` in the byte alphabet)."""
    words = forced_words()
    return {index for index, piece in enumerate(pieces) if piece.startswith("Ġ") and piece[1:] in words}


def choose(parts: TokenizerParts, counts: dict[int, float], size: int, forced: set[int]) -> list[int]:
    """The kept ids, in rising order."""
    ids = {piece: index for index, piece in enumerate(parts.pieces)}
    split: dict[int, tuple[int, int]] = {}
    for first, second in parts.merges:
        split.setdefault(ids[first + second], (ids[first], ids[second]))
    built_on: Counter[int] = Counter(part for pair in split.values() for part in pair)
    dropped_specials = {ids[piece] for piece in parts.specials if piece not in SPECIAL_PIECES}
    kept = set(range(len(parts.pieces))) - dropped_specials
    weight = [counts.get(index, 0.0) for index in range(len(parts.pieces))]
    leaves = [(weight[index], -index) for index in split if built_on[index] == 0 and index not in forced]
    heapq.heapify(leaves)
    while len(kept) > size:
        if not leaves:
            raise ValueError(
                f"size {size} is too small: {len(kept)} pieces are bytes, marks, or forced with their parts"
            )
        count, negative = heapq.heappop(leaves)
        index = -negative
        if count != weight[index]:
            heapq.heappush(leaves, (weight[index], negative))
            continue
        kept.remove(index)
        for part in split[index]:
            weight[part] += weight[index]
            built_on[part] -= 1
            if built_on[part] == 0 and part in split and part not in forced:
                heapq.heappush(leaves, (weight[part], -part))
    return sorted(kept)


def unreachable(tokenizer: Tokenizer, pieces: Iterable[str]) -> list[str]:
    """Pieces that the merges do not lead back to."""
    return [
        piece for piece in pieces if piece not in SPECIAL_PIECES and len(tokenizer.model.tokenize(piece)) != 1
    ]


def bytes_per_token(tokenizer: Tokenizer, texts: Sequence[str]) -> float:
    tokens = sum(len(encoding.ids) for encoding in tokenizer.encode_batch(list(texts)))
    return sum(len(text.encode()) for text in texts) / tokens


def plain_texts() -> dict[str, list[str]]:
    """Parts of the shared texts used for counting, those that are there."""
    texts = {}
    for name, path in ((STORIES, "tinystories_train.txt"), (ENCYCLOPEDIA, "wikitext2_raw_valid.txt")):
        if text_file(path).exists():
            text = text_file(path).read_text(encoding="utf-8")[:SAMPLE_CHARACTERS]
            texts[name] = [text[start : start + 20_000] for start in range(0, len(text), 20_000)]
    return texts


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Choose a smaller vocabulary.")
    parser.add_argument("--size", type=int, default=16384, help="pieces to keep")
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument(
        "--conversations",
        type=Path,
        default=command.BUILD / "conversations.jsonl",
        help="generated conversations",
    )
    parser.add_argument(
        "--out", type=Path, default=command.BUILD, help="folder for kept-SIZE.json and tokenizer-SIZE.json"
    )
    return parser


def run(options: argparse.Namespace) -> None:
    command.shrink(options, size=480)
    parts = teacher.read_teacher(options.teacher).tokenizer_parts
    full = parts.build()
    trained, held_out = corpus.split(corpus.read_conversations(options.conversations))
    texts = plain_texts() | {CHAT: [corpus.render_plain(one) for one in trained]}
    forced = forced_pieces(parts.pieces)
    kept = choose(parts, mixed_counts(full, texts), options.size, forced)
    cut = cut_tokenizer(parts, kept)
    lost = unreachable(cut, [parts.pieces[index] for index in kept])
    judged = {"chat (held out)": [corpus.render_plain(one) for one in held_out]}
    for name, path in (
        ("tinystories valid", "tinystories_valid.txt"),
        ("wikitext2 test", "wikitext2_raw_test.txt"),
    ):
        if text_file(path).exists():
            judged[name] = [text_file(path).read_text(encoding="utf-8")[:200_000]]
    report = {
        name: {"all": round(bytes_per_token(full, part), 3), "kept": round(bytes_per_token(cut, part), 3)}
        for name, part in judged.items()
    }
    options.out.mkdir(parents=True, exist_ok=True)
    content = {
        "size": len(kept),
        "forced": len(forced),
        "unreachable": lost,
        "bytes_per_token": report,
        "kept": kept,
    }
    (options.out / f"kept-{options.size}.json").write_text(json.dumps(content) + "\n")
    cut.save(str(options.out / f"tokenizer-{options.size}.json"))
    print(json.dumps({key: value for key, value in content.items() if key != "kept"}, indent=1))


if __name__ == "__main__":
    finish(run, make_parser())

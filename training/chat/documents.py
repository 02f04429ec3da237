"""The mixture of training documents: conversations, stories, encyclopedia, children's books."""

from __future__ import annotations

import argparse
import lzma
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from training.chat import command, corpus
from training.chat.corpus import AlignedDocument, Aligner
from training.chat.student import cut_tokenizer
from training.chat.teacher import TokenizerParts
from training.common.documents import read_documents
from training.common.places import text_file

CHAT, STORIES, ENCYCLOPEDIA, BOOKS = "chat", "stories", "encyclopedia", "books"
MAX_TOKENS = 384  # of a document; conversations are shorter
PARAGRAPH_CHARACTERS = (200, 1200)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options that choose the mixture."""
    parser.add_argument(
        "--conversations",
        type=Path,
        default=command.BUILD / "conversations.jsonl",
        help="generated conversations",
    )
    parser.add_argument(
        "--more-conversations",
        type=Path,
        nargs="*",
        default=[],
        help="files of conversations to train on too, never to validate with",
    )
    parser.add_argument("--chat-share", type=float, default=0.6, help="share of conversations in the tokens")
    parser.add_argument("--story-share", type=float, default=0.2, help="share of TinyStories")
    parser.add_argument(
        "--encyclopedia-share", type=float, default=0.1, help="share of wikitext2 (its validation part)"
    )
    parser.add_argument("--book-share", type=float, default=0.1, help="share of children's books")


def paragraphs(text: str) -> list[str]:
    """Paragraphs of a plain text, neighbouring ones joined until they are long enough; headings go."""
    shortest, longest = PARAGRAPH_CHARACTERS
    result, current = [], ""
    for part in re.split(r"\n\s*\n|\n(?= )", text):
        plain = " ".join(part.split())
        if not plain or plain.startswith("="):
            continue
        current = f"{current} {plain}".strip()[:longest]
        if len(current) >= shortest:
            result.append(current)
            current = ""
    return result


def _plain_documents(kind: str) -> list[str]:
    if kind == STORIES:
        return read_documents(text_file("tinystories_train.txt"))
    if kind == ENCYCLOPEDIA:
        return paragraphs(text_file("wikitext2_raw_valid.txt").read_text(encoding="utf-8"))
    with lzma.open(text_file("gutenberg_children.txt.xz"), "rt", encoding="utf-8") as stream:
        return paragraphs(stream.read(8_000_000))


def _aligned(
    aligner: Aligner, kind: str, options: argparse.Namespace, rng: Random
) -> Iterator[AlignedDocument]:
    if kind == CHAT:
        read = [
            corpus.read_conversations(path) for path in (options.conversations, *options.more_conversations)
        ]
        conversations, _ = corpus.split([one for part in read for one in part])
        rng.shuffle(conversations)
        for conversation in conversations:
            yield aligner.conversation(conversation, MAX_TOKENS)
        return
    texts = _plain_documents(kind)
    rng.shuffle(texts)
    for text in texts:
        yield aligner.plain(text, MAX_TOKENS)


def training_pool(
    aligner: Aligner, options: argparse.Namespace, tokens: int, seed: int
) -> list[AlignedDocument]:
    """Documents of about `tokens` student tokens in the wanted shares (fewer where a source has no more),
    shuffled.
    """
    shares = {
        CHAT: options.chat_share,
        STORIES: options.story_share,
        ENCYCLOPEDIA: options.encyclopedia_share,
        BOOKS: options.book_share,
    }
    pool: list[AlignedDocument] = []
    for kind, share in shares.items():
        wanted, used = tokens * share / sum(shares.values()), 0
        if share <= 0:
            continue
        for document in _aligned(aligner, kind, options, Random(f"{seed}/{kind}")):
            if used >= wanted:
                break
            pool.append(document)
            used += len(document.student)
    Random(seed).shuffle(pool)
    return pool


def training_rows(
    parts: TokenizerParts, kept: list[int], options: argparse.Namespace, tokens: int
) -> list[tuple[int, ...]]:
    """The documents of a training pool in the pieces of a student alone."""
    aligner = Aligner(cut_tokenizer(parts, kept), parts.build())
    return [one.student for one in training_pool(aligner, options, tokens, options.seed)]


def validation_sets(aligner: Aligner, conversations: Path, tokens: int) -> dict[str, list[AlignedDocument]]:
    """Held-out documents of each kind, about `tokens` student tokens each, those whose source is there."""

    def first(documents: Iterator[AlignedDocument]) -> list[AlignedDocument]:
        taken, used = [], 0
        for document in documents:
            if used >= tokens:
                break
            taken.append(document)
            used += len(document.student)
        return taken

    _, held_out = corpus.split(corpus.read_conversations(conversations))
    sets = {CHAT: first(aligner.conversation(one, MAX_TOKENS) for one in held_out)}
    if (path := text_file("tinystories_valid.txt")).exists():
        sets[STORIES] = first(aligner.plain(text, MAX_TOKENS) for text in read_documents(path))
    if (path := text_file("wikitext2_raw_test.txt")).exists():
        sets[ENCYCLOPEDIA] = first(
            aligner.plain(text, MAX_TOKENS) for text in paragraphs(path.read_text(encoding="utf-8"))
        )
    return {kind: documents for kind, documents in sets.items() if documents}

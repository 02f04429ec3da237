#!/usr/bin/env python3
"""Writes tests/tokenizers/: small byte-level vocabularies with the pre-tokenizers that the engine knows, hard
texts, and the tokens that PyPI's `tokenizers` makes of them.

    tools/make_tokenizer_goldens.py tests/tokenizers

User texts never become special tokens here, so the tokens come from a tokenizer that has none. Bytes that are
no UTF-8 are what Python's decoder makes of them: U+FFFD.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

VOCAB_SIZE = 700
LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPECIALS = ("<|begin_of_text|>", "<|im_start|>", "<|im_end|>", "<|endoftext|>")
WORDS_WITHOUT_MERGES = ("xylophone", " quartz", "'s", "日本語", " zzz")

PROSE = """Once upon a time there was a little girl named Lily. She didn't want to go home, so she'd play
in the park with her friends until 12:45. "It's late," said her mother, "and we're hungry; you'll see us
tomorrow, I've promised!" The cat's name was Tom; they DIDN'T know. On 2024-05-17 about 1234567 people saw it.
    def main(argument):\n        return argument[0] + 42  # comment\n\n\n
Grüße aus Köln, où l'été est très doux; señor Muñoz vive en España. Привет, мир!
日本語のテキスト。 中文字符 한국어
The quick brown fox jumps over the lazy dog. Thinking there this that with within without another mother.
"""

TEXTS = (
    "",
    " ",
    "a",
    "Hello, world!",
    " leading space",
    "trailing space ",
    "two  spaces   three    four",
    "tabs\tand\t\ttabs \t mixed\t ",
    "lines\nand\n\nmore\n\n\nlines\r\nand\r\r\nreturns \n with \n spaces\n   ",
    "\n",
    " \n \n ",
    "\n\n  x",
    "   \n\n   \nx\n",
    "   x",
    "x   ",
    "\u00a0no\u00a0break \u3000wide\u2028line\u2029paragraph\u0085next",
    "\u200bzero\u200dwidth\ufefffeff",
    "it's don't we're I've I'm you'll he'd o'clock 'tis 's 't're",
    "IT'S DON'T WE'RE I'VE I'M YOU'LL HE'D 'S'T'Re'vE",
    "'\u017f long s 's\u017f '\u017fx",
    "'",
    "''",
    "' s",
    " 's",
    "!'s",
    "x''ll",
    "'sx",
    "\u2019s typographic",
    "0",
    "12",
    "123",
    "1234",
    "12345678901234567890",
    "3.14159",
    "1,000,000",
    "a1b22c333d4444",
    " 1 22 333",
    "½ ² Ⅷ ٣٤٥ 一二三 ๑๒ \U0001d7d8\U0001d7d9\U0001d7da ①②③",
    "1\u0301 2\ufe0f3\u20e3",
    "word1 word12  12word",
    "   123   4",
    "\n123\n\n4 \n 5",
    "!!!",
    "... --- ***",
    "a!b?c",
    " !x",
    "!\n",
    " ...\n\n",
    "?!\r\n\r\nx",
    "$100 & 50% #tag @user a_b a-b",
    "http://example.com/path?query=1&b=2#frag",
    "<|im_start|>user\nHi<|im_end|>\n",
    "<|endoftext|>",
    "<|begin_of_text|>x<|begin_of_text|>",
    "<|im_start",
    "|im_start|>",
    "😺",
    "😺😺",
    " 😺 a",
    "👩‍👩‍👧‍👦 family",
    "🇩🇪 flag",
    "👍🏽 tone",
    "❤️",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "日本語のテキスト。",
    "中文 字符",
    "한국어 텍스트",
    "日本語xylophone",
    "e\u0301 cafe\u0301 \u0301 n\u0303o",
    "Z\u0351\u0352\u0353a\u0354\u0355lgo",
    "\u0915\u094d\u0937\u093f नमस्ते",
    "שלום עולם",
    "مرحبا بالعالم",
    "สวัสดีชาวโลก",
    "Ελληνικά",
    "ǅ ʰ ª º",
    "\U0001d518\U0001d52b\U0001d526 𐍈 𒀀",
    "\x00null",
    "\x7f\x01\x1b[0m",
    "\ufffd",
    "\uffff \U0001f9ff \U0010ffff \ue000",
    "\u1c89\u1c8a \ua7cb \U000105c0 \U00010d40 \U000116d0",
    "xylophone",
    " xylophone xylophones",
    "quartz quartz zzz  zzz",
    "the thes theses",
    "a" * 1000,
    "ab" * 500,
    "the" * 300,
    "x" * 33 + " " * 33 + "y",
    " " * 257,
    "\n" * 129,
    "!?" * 200,
    "7" * 100,
    "Aa" * 64 + "é" * 64 + "日" * 64,
)

ILL_FORMED = (
    b"\x80", b"\xff\xfe", b"caf\xe9 bar", b"\xc3", b"\xe2\x82", b"\xe2\x82x", b"\xf0\x9f\x98",
    b"\xf0\x9f\x98 ", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80",
    b"a\x80 b \xbf\xbf",
    b"'\xc5", b"\xe0\x80\x80 \xf0\x80\x80\x80", b"ok \xe6\x97\xa5\xe6\x97",
)  # fmt: skip


def random_texts(count: int) -> list[str]:
    """Random strings of characters that pre-tokenizers tell apart."""
    source = random.Random(2024)
    characters = [
        *"abeths'SX12 \n\r\t!.<|_",
        "'s",
        "'LL",
        "  ",
        "é",
        "日",
        "😺",
        "\u0301",
        "½",
        "\u00a0",
        "\u017f",
        "ab",
    ]
    return ["".join(source.choices(characters, k=source.randrange(1, 40))) for _ in range(count)]


def splitters() -> dict[str, pre_tokenizers.PreTokenizer]:
    def byte_level(use_regex: bool) -> pre_tokenizers.PreTokenizer:
        return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)

    return {
        "gpt2": byte_level(True),
        "smollm2": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte_level(True)]),
        "llama3": pre_tokenizers.Sequence(
            [pre_tokenizers.Split(Regex(LLAMA3_PATTERN), behavior="isolated"), byte_level(False)]
        ),
    }


def train(splitter: pre_tokenizers.PreTokenizer) -> dict:
    """A small vocabulary's "model" entry; specials have the first ids."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = splitter
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        special_tokens=list(SPECIALS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([PROSE, *TEXTS[:60]] * 2, trainer)
    return json.loads(tokenizer.to_str())["model"]


def printable(text: str) -> str:
    """A text in the byte alphabet."""
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return "".join(piece for piece, _ in byte_level.pre_tokenize_str(text))


def all_splits(vocabulary: dict[str, int]) -> list[tuple[str, str]]:
    """Every pair of pieces that reads as a third, in order of the third: what tiktoken's ranks become."""
    pairs = []
    for piece in sorted(vocabulary, key=vocabulary.__getitem__):
        splits = [(piece[:cut], piece[cut:]) for cut in range(1, len(piece))]
        known = [pair for pair in splits if pair[0] in vocabulary and pair[1] in vocabulary]
        pairs += sorted(known, key=lambda pair: (vocabulary[pair[0]], vocabulary[pair[1]]))
    return pairs


def build(kind: str, splitter: pre_tokenizers.PreTokenizer) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizer without special tokens, and with them."""
    model = train(splitter)
    vocabulary: dict[str, int] = model["vocab"]
    merges = [tuple(merge) for merge in model["merges"]]
    is_llama3 = kind == "llama3"
    if is_llama3:
        merges = all_splits({piece: rank for piece, rank in vocabulary.items() if piece not in SPECIALS})
        for word in WORDS_WITHOUT_MERGES:
            vocabulary.setdefault(printable(word), len(vocabulary))

    def make() -> Tokenizer:
        tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=is_llama3))
        tokenizer.pre_tokenizer = splitter
        tokenizer.decoder = decoders.ByteLevel()
        return tokenizer

    plain, whole = make(), make()
    whole.add_special_tokens([AddedToken(piece, special=True, normalized=False) for piece in SPECIALS])
    if is_llama3:
        for tokenizer in (plain, whole):
            tokenizer.post_processor = processors.TemplateProcessing(
                single=[SPECIALS[0], "$A"], special_tokens=[(SPECIALS[0], vocabulary[SPECIALS[0]])]
            )
    return plain, whole


def main() -> int:
    parser = argparse.ArgumentParser(description="Write small vocabularies and golden tokens.")
    parser.add_argument("out", type=Path, help="the folder to write into")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    texts = [*(text.encode() for text in (*TEXTS, *random_texts(200))), *ILL_FORMED]
    cases: dict[str, list] = {"texts": [text.hex() for text in texts]}
    for kind, splitter in splitters().items():
        plain, whole = build(kind, splitter)
        whole.save(str(options.out / f"{kind}.json"), pretty=False)
        cases[kind] = [plain.encode(text.decode("utf-8", errors="replace")).ids for text in texts]
    (options.out / "cases.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n", encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())

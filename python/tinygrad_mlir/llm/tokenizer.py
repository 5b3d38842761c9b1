"""Tokenizers of GGUF files: byte-level BPE ("gpt2"), and SentencePiece's BPE ("llama")."""

from __future__ import annotations

import codecs
import functools
import heapq
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["TextStream", "Tokenizer"]

# Kinds of tokens in files.
_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = range(1, 7)

# How texts are cut into words before merges, by the names of files. Letters, numbers and spaces
# are \p{L}, \p{N} and \s of Unicode, for which Python's `re` has no, or other, names.
_CONTRACTIONS = r"'s|'t|'re|'ve|'m|'ll|'d"
_GPT2 = rf"{_CONTRACTIONS}| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+"
_LLAMA3 = (
    rf"(?i:{_CONTRACTIONS})|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_WORDS = {
    "gpt-2": [_GPT2],
    "llama-bpe": [_LLAMA3],
    "qwen2": [_LLAMA3.replace("{1,3}", "")],
    "smollm": [r"\p{N}", _GPT2],
}
_ALIASES = {
    "llama3": "llama-bpe",
    "llama-v3": "llama-bpe",
    "deepseek-r1-qwen": "qwen2",
    "starcoder": "smollm",
    "refact": "smollm",
    "phi-2": "gpt-2",
}


@functools.cache
def _find_ranges() -> tuple[str, str]:
    """The letters and the numbers of Unicode, for brackets."""
    kinds: dict[str, list[str]] = {"L": [], "N": []}
    begin, last = 0, ""
    for code in range(sys.maxunicode + 2):
        kind = unicodedata.category(chr(code))[0] if code <= sys.maxunicode else ""
        if kind != last:
            if last in kinds:
                kinds[last].append(f"\\U{begin:08x}-\\U{code - 1:08x}")
            begin, last = code, kind
    return "".join(kinds["L"]), "".join(kinds["N"])


@functools.cache
def _compile(pattern: str) -> re.Pattern[str]:
    """With the classes of Unicode written out as ranges."""
    letters, numbers = _find_ranges()
    space = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    pattern = pattern.replace(r"(?!\S)", f"(?![^{space}])")
    for name, ranges in ((r"\p{L}", letters), (r"\p{N}", numbers), (r"\s", space)):
        # Within brackets first.
        begin, *parts = re.split(r"(\[[^\]]*)" + re.escape(name), pattern)
        pattern = begin
        for bracket, rest in zip(parts[::2], parts[1::2]):
            pattern += bracket + ranges + rest
        pattern = pattern.replace(name, f"[{ranges}]")
    return re.compile(pattern)


@functools.cache
def _byte_characters() -> dict[int, str]:
    """The printable character that stands for each byte in the tokens of byte-level BPE."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    characters = {byte: chr(byte) for byte in printable}
    return characters | {byte: chr(256 + i) for i, byte in enumerate(others)}


class Tokenizer:
    """The tokens of texts, and the texts of tokens.

    Attributes: `tokens`, `bos` and `eos` (None where the file has none), `ends` (all tokens that
    end a text or a turn), `adds_bos`.
    """

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        """From the metadata of a file. Raises ValueError for what is missing or not supported."""

        def get(key: str, default: Any = None) -> Any:
            return metadata.get(f"tokenizer.ggml.{key}", default)

        def get_list(key: str, *kinds: type) -> list[Any]:
            value = get(key) or []
            if not isinstance(value, list) or not all(isinstance(x, kinds) for x in value):
                what = " or ".join(kind.__name__ for kind in kinds)
                raise ValueError(f"tokenizer.ggml.{key} is not a list of {what}")
            return value

        def get_token(key: str) -> int | None:
            value: int | None = get(key)
            is_token = type(value) is int and 0 <= value < len(self.tokens)
            if value is not None and not is_token:
                raise ValueError(
                    f"tokenizer.ggml.{key} is {value!r}, not one of {len(self.tokens)} tokens"
                )
            return value

        self.tokens: list[str] = get_list("tokens", str)
        model = get("model")
        if model not in ("gpt2", "llama") or not self.tokens:
            raise ValueError(
                f"the tokenizer is {model!r} with {len(self.tokens)} tokens; those that are "
                "supported are 'gpt2' (byte-level BPE) and 'llama' (SentencePiece)"
            )
        self._kinds: list[int] = get_list("token_type", int) or [_NORMAL] * len(self.tokens)
        if len(self._kinds) != len(self.tokens):
            raise ValueError(
                f"the tokenizer has {len(self._kinds)} types for {len(self.tokens)} tokens"
            )
        self._ids = {token: i for i, token in enumerate(self.tokens)}
        self._is_bytes = model == "gpt2"
        self._unknown: int | None = get_token("unknown_token_id")
        self.bos: int | None = get_token("bos_token_id")
        self.eos: int | None = get_token("eos_token_id")
        ends = [self.eos, get_token("eot_token_id"), get_token("eom_token_id")]
        ends += [self._ids.get(name) for name in ("<|eot_id|>", "<|im_end|>", "<|endoftext|>")]
        self.ends = {token for token in ends if token is not None}
        self.adds_bos = self.bos is not None and bool(get("add_bos_token", not self._is_bytes))
        self._adds_space = bool(get("add_space_prefix", True)) and not self._is_bytes
        special = {self.tokens[i]: i for i in self._of_kinds(_CONTROL, _USER_DEFINED)}
        longest_first = sorted(filter(None, special), key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
        if self._is_bytes:
            name = get("pre", "gpt-2")
            name = _ALIASES.get(name, name)
            if name not in _WORDS:
                known = ", ".join([*_WORDS, *_ALIASES])
                raise ValueError(
                    f"texts are cut into words as {name!r} does; supported are {known}"
                )
            self._words = _WORDS[name]
            self._is_word_token = name == "llama-bpe"
            merges = get_list("merges", str)
            self._ranks = {tuple(merge.split(" ", 1)): i for i, merge in enumerate(merges)}
            self._bytes_of = {c: byte for byte, c in _byte_characters().items()}
            self._merge_word = functools.lru_cache(1 << 16)(self._merge_word_uncached)
        else:
            self._scores: list[float] = get_list("scores", int, float)
            if len(self._scores) != len(self.tokens):
                raise ValueError(
                    f"the tokenizer has {len(self._scores)} scores for {len(self.tokens)} tokens"
                )
            self._pieces = {self.tokens[i]: i for i in self._of_kinds(_NORMAL, _USER_DEFINED)}
            self._bytes = {int(self.tokens[i][1:-1], 16): i for i in self._of_kinds(_BYTE)}

    def _of_kinds(self, *kinds: int) -> Iterator[int]:
        return (i for i, kind in enumerate(self._kinds) if kind in kinds)

    def encode(self, text: str, *, special: bool = False) -> list[int]:
        """The tokens of a text, after the token of a beginning if the file asks for it.

        With `special`, names of control tokens in the text are these tokens; else they are text.
        """
        if not isinstance(text, str):
            raise TypeError(f"a text is a str, not of type {type(text).__name__}")
        result: list[int] = [self.bos] if self.adds_bos and self.bos is not None else []
        begin, space = 0, " " if self._adds_space else ""
        for match in [*self._special.finditer(text), None]:
            kind = self._kinds[self._ids[match[0]]] if match else _NORMAL
            if kind == _CONTROL and not special:
                continue
            part = text[begin : match.start() if match else len(text)]
            # The first text gets the space, also one before a token that stands for text.
            if part or kind == _USER_DEFINED:
                part, space = space + part, ""
            if part:
                result += self._encode_bpe(part) if self._is_bytes else self._encode_pieces(part)
            if match:
                result.append(self._ids[match[0]])
                begin = match.end()
        return result

    # Byte-level BPE

    def _encode_bpe(self, text: str) -> list[int]:
        words = [text]
        for pattern in self._words:
            words = [part for word in words for part in _cut(word, _compile(pattern))]
        return [token for word in words for token in self._merge_word(word)]

    def _merge_word_uncached(self, word: str) -> list[int]:
        """Joins the pair that comes first in the list of merges, until there is none."""
        parts = [_byte_characters()[byte] for byte in word.encode("utf-8", "replace")]
        if self._is_word_token and (token := self._ids.get("".join(parts))) is not None:
            return [token]
        never = len(self._ranks)
        while len(parts) > 1:
            ranks = [self._ranks.get(pair, never) for pair in zip(parts, parts[1:])]
            if (best := min(ranks)) == never:
                break
            joined, i = [], 0
            while i < len(parts):
                size = 2 if i < len(ranks) and ranks[i] == best else 1
                joined.append("".join(parts[i : i + size]))
                i += size
            parts = joined
        return [token for part in parts for token in self._find(part)]

    def _find(self, part: str) -> list[int]:
        if (token := self._ids.get(part)) is not None:
            return [token]
        if self._unknown is not None:
            return [self._unknown]
        return [self._ids[c] for c in part if c in self._ids]

    # SentencePiece

    def _encode_pieces(self, text: str) -> list[int]:
        """Joins the neighbors that are the token of the best score, until none are a token."""
        parts = list(text.replace(" ", "\N{LOWER ONE EIGHTH BLOCK}"))
        after = [*range(1, len(parts)), -1]
        before = [*range(-1, len(parts) - 1)]
        queue: list[tuple[float, int, int, str]] = []

        def offer(left: int, right: int) -> None:
            if left >= 0 and right >= 0:
                piece = parts[left] + parts[right]
                if (token := self._pieces.get(piece)) is not None:
                    heapq.heappush(queue, (-self._scores[token], left, right, piece))

        for i in range(len(parts) - 1):
            offer(i, i + 1)
        while queue:
            _, left, right, piece = heapq.heappop(queue)
            # One of both has been joined with another since.
            if after[left] != right or parts[left] + parts[right] != piece or not parts[left]:
                continue
            parts[left], parts[right] = piece, ""
            after[left] = after[right]
            if after[left] >= 0:
                before[after[left]] = left
            offer(before[left], left)
            offer(left, after[left])
        return [token for part in parts if part for token in self._find_piece(part)]

    def _find_piece(self, piece: str) -> list[int]:
        """The token of a piece, or those of its bytes, or that of what is unknown."""
        if (token := self._pieces.get(piece)) is not None:
            return [token]
        data = piece.encode("utf-8", "replace")
        if all(byte in self._bytes for byte in data):
            return [self._bytes[byte] for byte in data]
        return [] if self._unknown is None else [self._unknown]

    # Texts

    def bytes(self, token: int) -> bytes:
        """What a token adds to a text: nothing if it is a control token. IndexError if there is
        no such token."""
        if not 0 <= token < len(self.tokens):
            raise IndexError(f"token {token} is not one of {len(self.tokens)}")
        text, kind = self.tokens[token], self._kinds[token]
        if kind in (_CONTROL, _UNKNOWN, _UNUSED):
            return b""
        if self._is_bytes and kind != _USER_DEFINED:
            return bytes(self._bytes_of[c] for c in text if c in self._bytes_of)
        if kind == _BYTE:
            return bytes([int(text[1:-1], 16)])
        return text.replace("\N{LOWER ONE EIGHTH BLOCK}", " ").encode()

    def decode(self, tokens: list[int]) -> str:
        """The text of tokens. Bytes that are no UTF-8 become U+FFFD."""
        text = b"".join(map(self.bytes, tokens)).decode("utf-8", "replace")
        return text.removeprefix(" ") if self._adds_space else text


class TextStream:
    """Texts of tokens, one after the other: of a character that takes several tokens, the text
    comes with the last of these."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, token: int) -> str:
        return self._decoder.decode(self._tokenizer.bytes(token))

    def end(self) -> str:
        """What is left of an incomplete character."""
        return self._decoder.decode(b"", True)


def _cut(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """The matches, and what lies between them."""
    begin = 0
    for match in pattern.finditer(text):
        if match.start() > begin:
            yield text[begin : match.start()]
        if match[0]:
            yield match[0]
        begin = match.end()
    if begin < len(text):
        yield text[begin:]

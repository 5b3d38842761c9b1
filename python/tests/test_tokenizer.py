"""Tokenizers, compared with those of the PyPI packages tokenizers and sentencepiece."""

import io
import json
import pathlib
import random
import unicodedata

import pytest
from tinygrad_mlir.llm.tokenizer import _WORDS, TextStream, Tokenizer

ROOT = pathlib.Path(__file__).parent.parent.parent
CORPUS = (ROOT / "README.md").read_text().split("\n")
CHARACTERS = "abc 's'T'll 12345 ½Ⅷ٣ äöü 中文 🙂🙂\n\r\n\t  \u3000_-/ÀÉ"


def make_texts():
    chosen = random.Random(1)

    def character():
        """One that the Unicode of all of the packages has."""
        while True:
            c = chr(chosen.choice([chosen.randrange(32, 0x2FF), chosen.randrange(32, 0x1FFFF)]))
            if unicodedata.category(c) not in ("Cn", "Cs"):
                return c

    texts = ["", " ", "  I'm  HERE'S  we'LL 1234567 x\n\n\n  y\t z ", "a\r\n b", *CORPUS[:100]]
    for _ in range(100):
        count = chosen.randrange(1, 40)
        texts.append("".join(chosen.choice(CHARACTERS) for _ in range(count)))
        texts.append("".join(character() for _ in range(count)))
    return texts


TEXTS = make_texts()


def metadata(**values):
    return {f"tokenizer.ggml.{key}": value for key, value in values.items()}


@pytest.mark.parametrize("name", _WORDS)
def test_as_tokenizers(name):
    tokenizers = pytest.importorskip("tokenizers")
    steps = tokenizers.pre_tokenizers
    other = tokenizers.Tokenizer(tokenizers.models.BPE(ignore_merges=name == "llama-bpe"))
    patterns = [tokenizers.Regex(pattern) for pattern in _WORDS[name]]
    other.pre_tokenizer = steps.Sequence(
        [steps.Split(pattern, "isolated") for pattern in patterns]
        + [steps.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=800,
        initial_alphabet=steps.ByteLevel.alphabet(),
        special_tokens=["<|end|>", "<|end|>er"],
        show_progress=False,
    )
    other.train_from_iterator(CORPUS, trainer)
    model = json.loads(other.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    own = Tokenizer(
        metadata(
            model="gpt2",
            pre=name,
            tokens=tokens,
            token_type=[3 if token.startswith("<|end|>") else 1 for token in tokens],
            merges=[" ".join(merge) for merge in model["merges"]],
            eos_token_id=0,
        )
    )
    assert own.ends == {0} and not own.adds_bos
    for text in [*TEXTS, "a<|end|>b<|end|>erc"]:
        found = own.encode(text, special=True)
        assert found == other.encode(text).ids, text
    for text in TEXTS:
        assert own.decode(own.encode(text)) == text
    assert own.decode(own.encode("a<|end|>b")) == "a<|end|>b"
    assert own.decode(own.encode("a<|end|>b", special=True)) == "ab"


def test_as_sentencepiece():
    sentencepiece = pytest.importorskip("sentencepiece")
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS),
        model_writer=model,
        vocab_size=700,
        model_type="bpe",
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        allow_whitespace_only_pieces=True,
        split_digits=True,
        user_defined_symbols=["<|user|>"],
        minloglevel=2,
    )
    other = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    ids = range(other.get_piece_size())

    def kind(i):
        kinds = [(2, other.is_unknown(i)), (3, other.is_control(i)), (6, other.is_byte(i))]
        kinds.append((4, other.id_to_piece(i) == "<|user|>"))
        return next((number for number, holds in kinds if holds), 1)

    own = Tokenizer(
        metadata(
            model="llama",
            tokens=[other.id_to_piece(i) for i in ids],
            scores=[other.get_score(i) for i in ids],
            token_type=[kind(i) for i in ids],
            bos_token_id=1,
            eos_token_id=2,
            unknown_token_id=0,
        )
    )
    assert own.adds_bos
    for text in [*TEXTS, "a<|user|>b", "<|user|> x <|user|>", "<s>a</s>"]:
        found = own.encode(text)
        assert found == [1, *other.encode(text)], text
        assert own.decode(found) == text
    assert own.encode("</s>", special=True) == [1, 2]


def test_bytes_and_streams():
    tokens = ["<unk>", "<s>", "</s>", *[f"<0x{byte:02X}>" for byte in range(256)], "\u2581a"]
    own = Tokenizer(
        metadata(
            model="llama",
            tokens=tokens,
            scores=[0.0] * len(tokens),
            token_type=[2, 3, 3] + [6] * 256 + [1],
            bos_token_id=1,
            add_bos_token=False,
        )
    )
    assert own.eos is None and own.ends == set()
    assert own.encode("é") == [3 + byte for byte in "\u2581é".encode()]
    assert own.encode("a") == [259] and own.bytes(259) == b" a" and own.bytes(1) == b""
    stream = TextStream(own)
    assert [stream.add(3 + byte) for byte in "é🙂".encode()] == ["", "é", "", "", "", "🙂"]
    assert stream.add(3 + 0xF0) == "" and stream.end() == "\ufffd"
    with pytest.raises(IndexError, match="token 260 is not one of 260"):
        own.bytes(260)


def test_what_is_unknown():
    own = Tokenizer(metadata(model="llama", tokens=["?", "b"], scores=[0.0, 0.0]))
    assert own.encode("b") == [1]
    own = Tokenizer(
        metadata(
            model="llama",
            tokens=["?", "b"],
            scores=[0.0, 0.0],
            token_type=[2, 1],
            unknown_token_id=0,
            add_space_prefix=False,
        )
    )
    assert own.encode("bxb") == [1, 0, 1]
    assert own.encode("") == []


@pytest.mark.parametrize(
    "values, message",
    [
        ({}, "the tokenizer is None with 0 tokens"),
        ({"model": "bert", "tokens": ["a"]}, "'bert' with 1 tokens; those .* 'gpt2' .* 'llama'"),
        ({"model": "gpt2", "tokens": ["a"], "pre": "tekken"}, "'tekken' does; supported are gpt-2"),
        ({"model": "llama", "tokens": ["a"], "scores": []}, "0 scores for 1 tokens"),
        ({"model": "llama", "tokens": 3}, "tokenizer.ggml.tokens is not a list of str"),
        (
            {"model": "llama", "tokens": ["a"], "scores": ["b"]},
            "scores is not a list of int or float",
        ),
        ({"model": "gpt2", "tokens": ["a"], "token_type": 1.5}, "token_type is not a list of int"),
        ({"model": "gpt2", "tokens": ["a"], "merges": [3]}, "merges is not a list of str"),
        (
            {"model": "gpt2", "tokens": ["a"], "bos_token_id": 1},
            "bos_token_id is 1, not one of 1 tok",
        ),
        (
            {"model": "gpt2", "tokens": ["a"], "eos_token_id": [0]},
            r"eos_token_id is \[0\], not one",
        ),
    ],
)
def test_errors(values, message):
    with pytest.raises(ValueError, match=message):
        Tokenizer(metadata(**values))

"""Language models of GGUF files, compared with NumPy, and the program that continues texts."""

import math
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from tinygrad_mlir import Tensor, dtypes
from tinygrad_mlir.llm.model import Config, Transformer, frequencies
from tinygrad_mlir.llm.sampling import Sampler, generate
from tinygrad_mlir.llm.weights import Matrix
from tinygrad_mlir.nn.gguf import Encoded, gguf_load_encoded

gguf = pytest.importorskip("gguf")
PROGRAM = pathlib.Path(__file__).parent.parent / "examples" / "llm.py"
WIDTH, HEADS, SHARED, HEAD, HIDDEN, VOCABULARY, LAYERS = 64, 4, 2, 32, 96, 300, 2


def kind_of(name):
    return gguf.GGMLQuantizationType[name]


def encode(values, name):
    kind = kind_of(name)
    data = gguf.quantize(values.astype(np.float32), kind)
    return Encoded(data.tobytes(), values.shape, int(kind)), gguf.dequantize(data, kind)


# Bits per element in memory: the scales of groups of 32 are float16.
BITS = {"F32": 32, "F16": 16, "Q4_0": 4.5, "Q4_1": 5, "Q5_1": 9, "Q8_0": 8.5, "MXFP4": 8.5}


@pytest.mark.parametrize("name", BITS)
@pytest.mark.parametrize("form", ["packed", "float32", "bfloat16"])
def test_matrix(name, form):
    random = np.random.default_rng(3)
    encoded, expected = encode(random.standard_normal((6, 96)), name)
    matrix = Matrix(encoded, form)
    assert matrix.shape == (6, 96)
    if form == "packed":
        assert matrix.nbytes * 8 / 576 == BITS[name]
    exact = form != "bfloat16"
    picked = matrix.rows(Tensor([5, 0, 5])).numpy()
    np.testing.assert_allclose(picked, expected[[5, 0, 5]], rtol=0 if exact else 1 / 128)
    for count in (1, 3):
        x = random.standard_normal((count, 96)).astype(np.float32)
        close = 1e-5 if exact else 0.2
        np.testing.assert_allclose(matrix(Tensor(x)).numpy(), x @ expected.T, atol=close)


def test_matrix_of_an_odd_number_of_columns_and_of_blocks_of_256():
    data = np.random.default_rng(0).integers(0, 60, (4, 144), dtype=np.uint8)
    matrix = Matrix(Encoded(data.tobytes(), (4, 256), 12))
    expected = gguf.dequantize(data, kind_of("Q4_K"))
    np.testing.assert_array_equal(matrix.rows(Tensor([2, 3])).numpy(), expected[2:])
    plain = np.arange(6, dtype=np.float32).reshape(2, 3)
    matrix = Matrix(Encoded(plain.tobytes(), (2, 3), 0))
    np.testing.assert_array_equal(matrix(Tensor(plain[:1])).numpy(), plain[:1] @ plain.T)


def test_matrix_errors():
    vector = Encoded(bytes(8), (2,), 0)
    with pytest.raises(ValueError, match=r"two axes, not the shape \(2,\)"):
        Matrix(vector)
    with pytest.raises(ValueError, match="form 'int3' is not one of packed, float32"):
        Matrix(Encoded(bytes(8), (1, 2), 0), "int3")


def write_model(path, name, kinds=("F32",), tokenizer=True, skip=(), reshape=(), **metadata):
    """A model of random weights; its tensors as they are decoded, in float64."""
    random = np.random.default_rng(7)
    writer = gguf.GGUFWriter(path, name)
    writer.add_block_count(LAYERS)
    writer.add_context_length(64)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(SHARED)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_layer_norm_rms_eps(1e-6)
    for key, value in metadata.items():
        key = f"{name}.{key.replace('__', '.')}"
        adding = {int: "uint32", float: "float32", str: "string"}[type(value)]
        getattr(writer, f"add_{adding}")(key, value)
    if tokenizer:
        tokens = ["<unk>", "<s>", "</s>", *[f"<0x{byte:02X}>" for byte in range(256)]]
        tokens += ["\u2581", "a", "b", "\u2581a", "ab", *[f"word{i}" for i in range(36)]]
        writer.add_tokenizer_model("llama")
        writer.add_token_list(tokens)
        writer.add_token_scores([-float(i) for i in range(VOCABULARY)])
        writer.add_token_types([2, 3, 3] + [6] * 256 + [1] * 41)
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        writer.add_unk_token_id(0)
    shapes = {"token_embd": (VOCABULARY, WIDTH), "output_norm": (WIDTH,)}
    if name == "llama":
        shapes["output"] = (VOCABULARY, WIDTH)
    for i in range(LAYERS):
        inner, shared = HEADS * HEAD, SHARED * HEAD
        parts = {
            "attn_norm": (WIDTH,),
            "attn_q": (inner, WIDTH),
            "attn_k": (shared, WIDTH),
            "attn_v": (shared, WIDTH),
            "attn_output": (WIDTH, inner),
            "ffn_norm": (WIDTH,),
            "ffn_gate": (HIDDEN, WIDTH),
            "ffn_up": (HIDDEN, WIDTH),
            "ffn_down": (WIDTH, HIDDEN),
        }
        if name == "qwen3":
            parts |= {"attn_q_norm": (HEAD,), "attn_k_norm": (HEAD,)}
        shapes |= {f"blk.{i}.{part}": shape for part, shape in parts.items()}
        if name == "qwen2":
            biases = {"attn_q": (inner,), "attn_k": (shared,), "attn_v": (shared,)}
            shapes |= {f"blk.{i}.{part}.bias": shape for part, shape in biases.items()}
    if "rope_freqs" in kinds:
        shapes["rope_freqs"] = (HEAD // 2,)
    decoded = {}
    matrices = [kind for kind in kinds if kind != "rope_freqs"]
    for i, (part, shape) in enumerate(shapes.items()):
        part = part if part.endswith(".bias") else f"{part}.weight"
        kind = kind_of(matrices[i % len(matrices)] if len(shape) == 2 else "F32")
        values = random.standard_normal(shape).astype(np.float32) / math.sqrt(shape[-1])
        if "norm" in part or part.startswith("rope"):
            values = 1 + np.abs(values)
        if part in reshape:
            values = values[:-1]
        if part not in skip:
            data = gguf.quantize(values, kind)
            writer.add_tensor(part, data, raw_dtype=kind)
            decoded[part] = gguf.dequantize(data, kind).astype(np.float64)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return decoded


def compute(weights, tokens, name, angles, scale=1.0):
    """The logits after each of the tokens, from all tokens at once."""

    def norm(x, weight):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight

    def rotate(x):  # (heads, n, size)
        turn = scale * np.exp(1j * np.outer(np.arange(x.shape[1]), angles))
        if name == "llama":
            turned = (x[..., ::2] + 1j * x[..., 1::2]) * turn
            return np.stack([turned.real, turned.imag], -1).reshape(x.shape)
        turned = (x[..., : HEAD // 2] + 1j * x[..., HEAD // 2 :]) * turn
        return np.concatenate([turned.real, turned.imag], -1)

    x = weights["token_embd.weight"][tokens]
    count = len(tokens)
    for i in range(LAYERS):

        def get(part, kind="weight"):
            return weights.get(f"blk.{i}.{part}.{kind}")

        def split(x, part):
            y = x @ get(part).T + (0 if get(part, "bias") is None else get(part, "bias"))
            y = y.reshape(count, -1, HEAD)
            y = y if get(f"{part}_norm") is None else norm(y, get(f"{part}_norm"))
            return y.transpose(1, 0, 2)

        y = norm(x, get("attn_norm"))
        q, k, v = rotate(split(y, "attn_q")), rotate(split(y, "attn_k")), split(y, "attn_v")
        k, v = (np.repeat(part, HEADS // SHARED, axis=0) for part in (k, v))
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(HEAD)
        scores[:, np.triu_indices(count, 1)[0], np.triu_indices(count, 1)[1]] = -np.inf
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        found = scores / scores.sum(-1, keepdims=True) @ v
        x = x + found.transpose(1, 0, 2).reshape(count, -1) @ get("attn_output").T
        y = norm(x, get("ffn_norm"))
        gate = y @ get("ffn_gate").T
        x = x + (gate / (1 + np.exp(-gate)) * (y @ get("ffn_up").T)) @ get("ffn_down").T
    output = weights.get("output.weight", weights["token_embd.weight"])
    return norm(x, weights["output_norm.weight"]) @ output.T


def yarn(base=10000.0, factor=4.0, original=16):
    """Written from the formulas of the method: ramp of the turns within the original context."""
    angles = base ** (-np.arange(HEAD // 2) * 2 / HEAD)
    low, high = (
        HEAD * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))
        for turns in (32, 1)
    )
    low, high = max(math.floor(low), 0), min(math.ceil(high), HEAD - 1)
    ramp = np.clip((np.arange(HEAD // 2) - low) / max(high - low, 0.001), 0, 1)
    return angles * (1 - ramp) + angles / factor * ramp, 1 + 0.1 * math.log(factor)


PLAIN = 10000.0 ** (-np.arange(HEAD // 2) * 2 / HEAD)
YARN = {"rope__scaling__type": "yarn", "rope__scaling__factor": 4.0}
YARN |= {"rope__scaling__original_context_length": 16}
CASES = {
    "llama": ("llama", ["F32"], {}, PLAIN, 1),
    "llama-scaled": (
        "llama",
        ["Q4_0", "Q8_0", "F16"],
        {"rope__scaling__type": "linear", "rope__scaling__factor": 2.0},
        PLAIN / 2,
        1,
    ),
    "llama-factors": ("llama", ["Q5_1", "rope_freqs"], {}, None, 1),
    "llama-yarn": ("llama", ["BF16"], YARN, *yarn()),
    "qwen2": (
        "qwen2",
        ["Q8_0"],
        {"rope__freq_base": 500.0},
        PLAIN ** (math.log(500) / math.log(1e4)),
        1,
    ),
    "qwen3": ("qwen3", ["Q4_1", "Q5_0"], {}, PLAIN, 1),
}


@pytest.mark.parametrize("case", CASES)
def test_logits(tmp_path, case):
    """Of chunks, of single tokens, and of both at any position, beside those of NumPy."""
    name, kinds, metadata, angles, scale = CASES[case]
    weights = write_model(tmp_path / "x.gguf", name, kinds, **metadata)
    if angles is None:
        angles = PLAIN / weights["rope_freqs.weight"]
    loaded, tensors = gguf_load_encoded(tmp_path / "x.gguf")
    config = Config.from_metadata(loaded, VOCABULARY)
    model = Transformer(config, tensors, chunk=8, cache=dtypes.float32)
    tokens = [int(token) for token in np.random.default_rng(1).integers(0, VOCABULARY, 30)]
    expected = compute(weights, tokens, name, angles, scale)
    np.testing.assert_allclose(model(tokens).numpy(), expected[-1], atol=2e-4)
    # Positions in any order, as long as those before them are there.
    for begin, count in [(10, 1), (3, 20), (23, 1), (24, 2), (1, 8), (9, 1), (10, 5)]:
        found = model(tokens[begin : begin + count], begin).numpy()
        np.testing.assert_allclose(found, expected[begin + count - 1], atol=2e-4)


def test_one_captured_step_serves_all_positions(tmp_path):
    write_model(tmp_path / "x.gguf", "llama")
    metadata, tensors = gguf_load_encoded(tmp_path / "x.gguf")
    model = Transformer(Config.from_metadata(metadata, VOCABULARY), tensors, chunk=4)
    picked = list(generate(model, [1, 5, 9], Sampler(temperature=0)))
    assert len(picked) == model.context - 3 + 1 == 62
    assert model._step.captured is not None and model._step.cnt == 61
    assert picked == list(generate(model, [1, 5, 9], Sampler(temperature=0)))
    with pytest.raises(IndexError, match="positions 60 to 65 exceed the context 64"):
        model([1] * 5, 60)
    with pytest.raises(IndexError, match="token 300 is not one of 300"):
        model([300])
    with pytest.raises(IndexError, match="no tokens"):
        model([])


def test_wrong_models(tmp_path):
    path = tmp_path / "x.gguf"
    for name, options, message in [
        ("mamba", {}, "architecture is 'mamba'; supported are llama, qwen2, qwen3"),
        ("llama", {"skip": ["blk.1.attn_k.weight"]}, "there is no tensor blk.1.attn_k.weight"),
        (
            "llama",
            {"reshape": ["blk.0.ffn_up.weight"]},
            r"tensor blk.0.ffn_up.weight has the shape \(95, 64\), not \(96, 64\)",
        ),
        ("llama", {"expert_count": 4}, "several experts"),
        ("llama", {"rope__scaling__type": "longrope"}, "positions is 'longrope'"),
    ]:
        write_model(path, name, **options)
        metadata, tensors = gguf_load_encoded(path)
        with pytest.raises(ValueError, match=message):
            Transformer(Config.from_metadata(metadata, VOCABULARY), tensors)
    keys = {"general.architecture": "llama", "llama.attention.head_count": 4}
    with pytest.raises(ValueError, match="the metadata has no llama.embedding_length"):
        Config.from_metadata(keys, 4)
    keys["llama.embedding_length"] = 8
    for heads, message in [(3, "8 with 4 heads, 3 of keys"), ([2, 4], "a value for each layer")]:
        with pytest.raises(ValueError, match=message):
            Config.from_metadata(keys | {"llama.attention.head_count_kv": heads}, 4)
    write_model(path, "llama")
    metadata, tensors = gguf_load_encoded(path)
    for key, value, message in [
        ("general.architecture", ["llama"], r"architecture is \['llama'\]"),
        ("llama.block_count", "2", "llama.block_count is '2', not a number"),
        ("llama.block_count", 1.5, "llama.block_count is 1.5, not a count"),
        ("llama.context_length", -1, "llama.context_length is -1, not a count"),
        ("llama.rope.freq_base", math.nan, "llama.rope.freq_base is nan, not a number"),
    ]:
        with pytest.raises(ValueError, match=message):
            Config.from_metadata(metadata | {key: value}, VOCABULARY)
    model = Transformer(Config.from_metadata(metadata, VOCABULARY), tensors)
    for wrong, message in [("ab", "tokens are ints"), ([1.5], "not 1.5"), (Tensor([1]), "tolist")]:
        with pytest.raises(TypeError, match=message):
            model(wrong)
    np.testing.assert_array_equal(model([np.int64(1)]).numpy(), model([1]).numpy())


def test_frequencies_of_a_part_of_the_head():
    config = Config(1, 64, 4, 2, 16, 96, 50, 40, rotated_size=8)
    angles, scale = frequencies(config)
    np.testing.assert_allclose(angles, 10000.0 ** (-np.arange(4) / 4))
    assert scale == 1


def test_sampler():
    logits = Tensor([0.0, 3.0, 1.0, 2.0, -50.0])
    assert Sampler(temperature=0)(logits) == 1
    assert {Sampler(2.0, top_k=1, seed=i)(logits) for i in range(20)} == {1}
    assert {Sampler(2.0, top_k=0, top_p=0.01, seed=i)(logits) for i in range(20)} == {1}
    for top_k, top_p, allowed in [(0, 1, [1, 3, 2, 0]), (2, 1, [1, 3]), (0, 0.8, [1, 3])]:
        sampler = Sampler(1.0, top_k, top_p, seed=5)
        picked = [sampler(logits) for _ in range(2000)]
        weights = np.exp(np.array([3.0, 2.0, 1.0, 0.0])[: len(allowed)])
        shares = [picked.count(token) / 2000 for token in allowed]
        np.testing.assert_allclose(shares, weights / weights.sum(), atol=0.04)
        again = Sampler(1.0, top_k, top_p, seed=5)
        assert picked[:50] == [again(logits) for _ in range(50)]
    for options in ({"temperature": -1.0}, {"top_k": -1}, {"top_p": 0.0}, {"top_p": 1.5}):
        with pytest.raises(ValueError, match=next(iter(options))):
            Sampler(**options)


def run(*arguments, **options):
    command = [sys.executable, PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def test_program(tmp_path):
    write_model(tmp_path / "x.gguf", "llama", ["Q4_0"])
    arguments = ["--model", tmp_path / "x.gguf", "--count", 12, "--seed", 3, "--chunk", 8]
    first = run(*arguments, "--prompt", "ab a")
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("ab a")
    # The beginning, a space, and two tokens.
    assert re.search(r"prompt: 4 tokens, .* tokens/s; generated: \d+ tokens, .* GB/s", first.stderr)
    assert run(*arguments, "--prompt", "-", input="ab a").stdout == first.stdout


def test_benchmark_of_the_program():
    arguments = ["--benchmark", "15M", "--count", 2, "--prompt-count", 3, "--context", 16]
    result = run(*arguments, "--chunk", 2, "--type", "Q8_0")
    assert result.returncode == 0, result.stderr
    assert len(re.findall("generated: 2 tokens", result.stderr)) == 2


def test_errors_of_the_program(tmp_path):
    path = tmp_path / "x.gguf"
    write_model(path, "llama", tokenizer=False)
    (tmp_path / "torn.gguf").write_bytes(path.read_bytes()[:-100])
    (tmp_path / "x.txt").write_text("no model")
    write_model(tmp_path / "whole.gguf", "llama")
    for arguments, message in [
        (["--model", tmp_path / "none.gguf"], "none.gguf.*No such file"),
        (["--model", tmp_path / "torn.gguf"], "torn.gguf: tensor .* need"),
        (["--model", tmp_path / "x.txt"], "x.txt: not a complete GGUF file: .*GGUF"),
        (["--model", path], "tokenizer is None with 0 tokens"),
        (["--model", tmp_path / "whole.gguf", "--top-p", 7], "top_p 7.0"),
        (["--model", tmp_path / "whole.gguf", "--prompt", "b" * 99], "exceed the context 64"),
    ]:
        result = run(*arguments)
        assert result.returncode == 1 and re.search(message, result.stderr), result.stderr
        assert "Traceback" not in result.stderr
    for arguments in ([], ["--benchmark", "15M", "--count", 0]):
        assert run(*arguments).returncode == 2

"""Continues a text with a language model of a GGUF file: llama (and Mistral), qwen2, qwen3.

    python3 python/examples/llm.py --model FILE.gguf --prompt "Once upon a time"
    python3 python/examples/llm.py --benchmark 110M --weights float16

A line on stderr says how many tokens of the prompt were read per second, and how many were
generated. Without a file, --benchmark measures a model of random weights.
"""

import argparse
import sys
import time

from tinygrad_mlir import Tensor, dtypes
from tinygrad_mlir.llm.model import Config, Transformer
from tinygrad_mlir.llm.sampling import Sampler, generate
from tinygrad_mlir.llm.tokenizer import TextStream, Tokenizer
from tinygrad_mlir.llm.weights import FORMS
from tinygrad_mlir.nn.gguf import Encoded, gguf_load_encoded

# Layers, width, heads, heads of keys, hidden size and vocabulary of models of random weights.
SIZES = {
    "15M": (6, 288, 6, 6, 768, 32000),
    "110M": (12, 768, 12, 12, 2048, 32000),
    "500M": (24, 896, 14, 2, 4864, 151936),
    "1B": (16, 2048, 32, 8, 8192, 128256),
    "8B": (32, 4096, 32, 8, 14336, 128256),
}
# Numbers of types in files, and the bytes of a block without its scale.
TYPES = {"Q4_0": (2, 16), "Q8_0": (8, 32)}


def positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{number} must be 1 or more")
    return number


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--model", metavar="FILE", help="a model, with its tokenizer")
    source.add_argument(
        "--benchmark",
        choices=SIZES,
        help="measure a model of about so many random weights, embeddings not counted",
    )
    add = parser.add_argument
    add("--prompt", default="Once upon a time", help="the text to continue; - reads it from stdin")
    add("--count", type=positive, default=128, help="how many tokens to generate at most")
    add("--temperature", type=float, default=0.8, help="0 always picks the likeliest token")
    add("--top-k", type=int, default=40, help="pick among the likeliest so many; 0: among all")
    add("--top-p", type=float, default=0.95, help="pick among those of this probability together")
    add("--seed", type=int, help="the same text in each run; a new one each time unless given")
    add("--context", type=positive, help="tokens to remember; the model's, or 4096 if that is more")
    add("--chunk", type=positive, default=64, help="tokens of the prompt that are read at once")
    add(
        "--weights",
        choices=FORMS,
        default="packed",
        help="packed: quantized matrices stay so, and kernels decode them",
    )
    add("--cache", choices=["float16", "float32"], default="float16", help="of keys and values")
    add("--type", choices=TYPES, default="Q4_0", help="of the random weights of --benchmark")
    add("--prompt-count", type=positive, default=256, help="tokens of the prompt of --benchmark")
    return parser.parse_args()


def make_random(size: str, kind: str) -> tuple[Config, dict[str, Encoded]]:
    """A model whose matrices repeat some random blocks."""
    layers, width, heads, shared, hidden, vocabulary = SIZES[size]
    head = width // heads
    config = Config(layers, width, heads, shared, head, hidden, vocabulary, 4096)
    number, data_size = TYPES[kind]
    digits = Tensor.randint(4096, data_size, low=0, high=256, dtype=dtypes.uint8)
    # 2^-10 as float16.
    scale = Tensor([[0, 0x14]], dtype=dtypes.uint8).expand(4096, 2)
    blocks = bytes(scale.cat(digits, dim=1).flatten().data())

    def matrix(rows: int, columns: int) -> Encoded:
        return Encoded(blocks * (rows * columns // 32 // 4096 + 1), (rows, columns), number)

    def vector() -> Encoded:
        return Encoded(bytes(Tensor.ones(width).contiguous().data()), (width,), 0)

    tensors = {"token_embd.weight": matrix(vocabulary, width), "output_norm.weight": vector()}
    for i in range(layers):
        shapes = {"attn_q": (width, width), "attn_output": (width, width)}
        shapes |= {"attn_k": (shared * head, width), "attn_v": (shared * head, width)}
        shapes |= {"ffn_gate": (hidden, width), "ffn_up": (hidden, width)}
        shapes["ffn_down"] = (width, hidden)
        parts = {name: matrix(*shape) for name, shape in shapes.items()}
        parts |= {"attn_norm": vector(), "ffn_norm": vector()}
        tensors |= {f"blk.{i}.{name}.weight": part for name, part in parts.items()}
    return config, tensors


def report(model: Transformer, read: int, read_time: float, made: int, make_time: float) -> None:
    rate = made / make_time if make_time else 0.0
    print(
        f"prompt: {read} tokens, {read / read_time:.1f} tokens/s; generated: {made} tokens, "
        f"{rate:.1f} tokens/s, {model.nbytes_read * rate / 1e9:.2f} GB/s of "
        f"{model.nbytes / 1e6:.0f} MB of matrices",
        file=sys.stderr,
    )


def measure(arguments: argparse.Namespace) -> None:
    """Reads the prompt and generates twice, and measures the second time."""
    begin = time.perf_counter()
    config, tensors = make_random(arguments.benchmark, arguments.type)
    model = make_model(config, tensors, arguments)
    print(f"made the model in {time.perf_counter() - begin:.2f} s", file=sys.stderr)
    prompt = [i % config.vocabulary for i in range(arguments.prompt_count)]
    sampler = Sampler(arguments.temperature, arguments.top_k, arguments.top_p, arguments.seed)
    for run in range(2):
        begin = time.perf_counter()
        tokens = generate(model, prompt, sampler)
        next(tokens)
        middle = time.perf_counter()
        made = sum(1 for _ in zip(range(arguments.count), tokens))
        end = time.perf_counter()
        print("with compilation, " if run == 0 else "", end="", file=sys.stderr)
        report(model, len(prompt), middle - begin, made, end - middle)


def make_model(
    config: Config, tensors: dict[str, Encoded], arguments: argparse.Namespace
) -> Transformer:
    return Transformer(
        config,
        tensors,
        context=arguments.context,
        chunk=arguments.chunk,
        form=arguments.weights,
        cache=getattr(dtypes, arguments.cache),
    )


def write_text(arguments: argparse.Namespace) -> None:
    """Prints the prompt and what follows, as it is generated."""
    metadata, tensors = gguf_load_encoded(arguments.model)
    tokenizer = Tokenizer(metadata)
    config = Config.from_metadata(metadata, len(tokenizer.tokens))
    model = make_model(config, tensors, arguments)
    del tensors
    text = sys.stdin.read() if arguments.prompt == "-" else arguments.prompt
    prompt = tokenizer.encode(text, special=True)
    sampler = Sampler(arguments.temperature, arguments.top_k, arguments.top_p, arguments.seed)
    stream = TextStream(tokenizer)
    print(text, end="", flush=True)
    begin = middle = time.perf_counter()
    made = 0
    for token in generate(model, prompt, sampler):
        if made == 0:
            middle = time.perf_counter()
        made += 1
        if token in tokenizer.ends:
            break
        print(stream.add(token), end="", flush=True)
        if made == arguments.count:
            break
    end = time.perf_counter()
    print(stream.end())
    report(model, len(prompt), middle - begin, made - 1, end - middle)


def main() -> None:
    arguments = parse_arguments()
    try:
        if arguments.benchmark:
            measure(arguments)
        else:
            write_text(arguments)
    except (OSError, ValueError, IndexError) as error:
        sys.exit(f"llm.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

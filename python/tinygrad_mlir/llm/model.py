"""Language models of the Llama kind, from GGUF files: llama (and Mistral), qwen2, qwen3."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tinygrad_mlir._core import DType, Tensor, Variable
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.jit import TinyJit
from tinygrad_mlir.llm.weights import Matrix
from tinygrad_mlir.nn.gguf import Encoded

__all__ = ["Config", "Transformer", "frequencies"]

#: Whether the pairs that are rotated by positions are neighbors; else they are half a head apart.
_ARCHITECTURES = {"llama": True, "qwen2": False, "qwen3": False}


@dataclass(frozen=True)
class Config:
    """Sizes and constants of a model."""

    layers: int
    width: int
    heads: int
    key_value_heads: int
    head_size: int
    hidden: int
    vocabulary: int
    context: int
    epsilon: float = 1e-5
    rotates_neighbors: bool = True
    rotated_size: int = 0  #: elements of a head that positions rotate; 0: all
    rope_base: float = 10000.0
    rope_scaling: str = "none"  #: "none", "linear" or "yarn"
    rope_factor: float = 1.0  #: how much longer the context is than that of the training
    rope_original_context: int = 0
    rope_attention_factor: float = 1.0

    @staticmethod
    def from_metadata(metadata: Mapping[str, Any], vocabulary: int) -> Config:
        """Of the metadata of a file. Raises ValueError for what is missing or not supported."""
        name = metadata.get("general.architecture")
        if not isinstance(name, str) or name not in _ARCHITECTURES:
            known = ", ".join(_ARCHITECTURES)
            raise ValueError(f"the architecture is {name!r}; supported are {known}")

        def get(key: str, default: Any = None) -> Any:
            value = metadata.get(f"{name}.{key}", default)
            if value is None:
                raise ValueError(f"the metadata has no {name}.{key}")
            if isinstance(value, list):
                raise ValueError(f"{name}.{key} has a value for each layer; one is supported")
            return value

        def get_number(key: str, default: Any = None) -> Any:
            value = get(key, default)
            if isinstance(value, (str, bool)) or not math.isfinite(value):
                raise ValueError(f"{name}.{key} is {value!r}, not a number")
            return value

        def get_count(key: str, default: Any = None) -> int:
            value = get_number(key, default)
            if not isinstance(value, int) or value < 0:
                raise ValueError(f"{name}.{key} is {value!r}, not a count")
            return value

        if get_count("expert_count", 0):
            raise ValueError("models with several experts are not supported")
        width, heads = get_count("embedding_length"), get_count("attention.head_count")
        shared = get_count("attention.head_count_kv", heads)
        if width < 1 or heads < 1 or shared < 1 or heads % shared:
            raise ValueError(f"a width of {width} with {heads} heads, {shared} of keys")
        size = get_count("attention.key_length", width // heads)
        if get_count("attention.value_length", size) != size:
            raise ValueError("keys and values of different sizes are not supported")
        scaling = get("rope.scaling.type", "none")
        factor = get_number("rope.scaling.factor", get_number("rope.scale_linear", 1.0)) or 1.0
        if scaling == "none" and f"{name}.rope.scale_linear" in metadata:
            scaling = "linear"
        if scaling not in ("none", "linear", "yarn"):
            raise ValueError(
                f"the scaling of positions is {scaling!r}; supported are none, linear and yarn"
            )
        context = get_count("context_length")
        return Config(
            layers=get_count("block_count"),
            width=width,
            heads=heads,
            key_value_heads=shared,
            head_size=size,
            hidden=get_count("feed_forward_length"),
            vocabulary=vocabulary,
            context=context,
            epsilon=get_number("attention.layer_norm_rms_epsilon", 1e-5),
            rotates_neighbors=_ARCHITECTURES[name],
            rotated_size=get_count("rope.dimension_count", size),
            rope_base=get_number("rope.freq_base", 10000.0),
            rope_scaling=scaling,
            rope_factor=factor,
            rope_original_context=get_count("rope.scaling.original_context_length", context),
            rope_attention_factor=get_number("rope.scaling.attn_factor", 1.0),
        )


def frequencies(config: Config, factors: Sequence[float] = ()) -> tuple[list[float], float]:
    """The angle per position of each rotated pair, and what sines and cosines are multiplied by.

    `factors` divide the angles of the pairs, as in Llama 3.1's files.
    """
    size = config.rotated_size or config.head_size
    angles = [config.rope_base ** (-2 * i / size) for i in range(size // 2)]
    if factors:
        angles = [angle / factor for angle, factor in zip(angles, factors, strict=True)]
    factor = config.rope_factor
    if config.rope_scaling == "none" or factor == 1:
        return angles, 1.0
    if config.rope_scaling == "linear":
        return [angle / factor for angle in angles], 1.0

    # YaRN: pairs that turn often within the original context keep their angles, those that turn
    # less than once get smaller ones, and between these limits it is a mixture.
    def find_pair(turns: float) -> float:
        context = config.rope_original_context
        return size * math.log(context / (turns * 2 * math.pi)) / (2 * math.log(config.rope_base))

    first = max(0, math.floor(find_pair(32)))
    last = min(size - 1, math.ceil(find_pair(1)))
    mixed = []
    for i, angle in enumerate(angles):
        kept = 1 - min(1.0, max(0.0, (i - first) / max(0.001, last - first)))
        mixed.append(angle * kept + angle / factor * (1 - kept))
    return mixed, config.rope_attention_factor * (1 + 0.1 * math.log(factor))


class _State:
    """The tensors of a file by name, with the shapes that the model needs."""

    def __init__(self, tensors: Mapping[str, Encoded], form: str) -> None:
        self.tensors = tensors
        self.form = form

    def _get(self, name: str, shape: tuple[int, ...]) -> Encoded:
        if name not in self.tensors:
            raise ValueError(f"there is no tensor {name}")
        if (found := self.tensors[name].shape) != shape:
            raise ValueError(f"tensor {name} has the shape {found}, not {shape}")
        return self.tensors[name]

    def matrix(self, name: str, rows: int, columns: int) -> Matrix:
        return Matrix(self._get(name, (rows, columns)), self.form)

    def vector(self, name: str, size: int) -> Tensor:
        return self._get(name, (size,)).decode().cast(dtypes.float32).contiguous().realize()

    def optional(self, name: str, size: int) -> Tensor | None:
        return self.vector(name, size) if name in self.tensors else None


def _normalize(x: Tensor, weight: Tensor | None, epsilon: float) -> Tensor:
    """By the root of the mean of the squares along the last axis; as it is without a weight."""
    if weight is None:
        return x
    return x * (x.square().mean(-1, keepdim=True) + epsilon).rsqrt() * weight


class _Projection:
    """x of (n, columns) times a matrix, plus a bias if there is one: (n, rows)."""

    def __init__(self, state: _State, name: str, rows: int, columns: int) -> None:
        self.matrix = state.matrix(f"{name}.weight", rows, columns)
        self.bias = state.optional(f"{name}.bias", rows)

    def __call__(self, x: Tensor) -> Tensor:
        y = self.matrix(x)
        return y if self.bias is None else y + self.bias


class _Layer:
    """Attention over all earlier positions, then a network of two layers with a gate."""

    def __init__(self, config: Config, state: _State, name: str, rows: int, cache: DType) -> None:
        self.config = c = config
        inner, shared = c.heads * c.head_size, c.key_value_heads * c.head_size
        self.attention_norm = state.vector(f"{name}.attn_norm.weight", c.width)
        self.q = _Projection(state, f"{name}.attn_q", inner, c.width)
        self.k = _Projection(state, f"{name}.attn_k", shared, c.width)
        self.v = _Projection(state, f"{name}.attn_v", shared, c.width)
        self.output = _Projection(state, f"{name}.attn_output", c.width, inner)
        self.q_norm = state.optional(f"{name}.attn_q_norm.weight", c.head_size)
        self.k_norm = state.optional(f"{name}.attn_k_norm.weight", c.head_size)
        self.network_norm = state.vector(f"{name}.ffn_norm.weight", c.width)
        self.gate = _Projection(state, f"{name}.ffn_gate", c.hidden, c.width)
        self.up = _Projection(state, f"{name}.ffn_up", c.hidden, c.width)
        self.down = _Projection(state, f"{name}.ffn_down", c.width, c.hidden)
        shape = (c.key_value_heads, rows, c.head_size)
        self.keys = Tensor.zeros(*shape, dtype=cache).contiguous().realize()
        self.values = Tensor.zeros(*shape, dtype=cache).contiguous().realize()

    def __call__(self, x: Tensor, position: Any, turns: tuple[Tensor, Tensor]) -> Tensor:
        x = x + self._attend(
            _normalize(x, self.attention_norm, self.config.epsilon), position, turns
        )
        y = _normalize(x, self.network_norm, self.config.epsilon)
        return x + self.down(self.gate(y).silu() * self.up(y))

    def _attend(self, x: Tensor, position: Any, turns: tuple[Tensor, Tensor]) -> Tensor:
        c, count = self.config, int(x.shape[0])

        def split(y: Tensor, norm: Tensor | None, rotates: bool = True) -> Tensor:
            """(n, heads * size) as (heads, n, size)."""
            y = _normalize(y.reshape(count, -1, c.head_size), norm, c.epsilon).transpose(0, 1)
            return _rotate(y, turns, c.rotates_neighbors) if rotates else y

        queries = split(self.q(x), self.q_norm)
        for cache, new in (
            (self.keys, split(self.k(x), self.k_norm)),
            (self.values, split(self.v(x), None, rotates=False)),
        ):
            cache[:, position : position + count].assign(new.cast(cache.dtype))
        end = position + count
        keys = self.keys[:, :end].cast(dtypes.float32)
        values = self.values[:, :end].cast(dtypes.float32)
        # Heads that share keys are rows of one product.
        queries = queries.reshape(c.key_value_heads, -1, c.head_size)
        scores = queries.matmul(keys.transpose(1, 2)) * c.head_size**-0.5
        if count > 1:
            scores = scores.reshape(c.key_value_heads, -1, count, end)
            here = Tensor.arange(count).reshape(count, 1) + position
            scores = (Tensor.arange(end) <= here).where(scores, -math.inf)
            scores = scores.reshape(c.key_value_heads, -1, end)
        found = scores.softmax(-1).matmul(values)
        return self.output(found.reshape(c.heads, count, c.head_size).transpose(0, 1).flatten(1))


def _rotate(x: Tensor, turns: tuple[Tensor, Tensor], neighbors: bool) -> Tensor:
    """Rotates pairs of elements of (heads, n, size) by the cosines and sines of (n, pairs)."""
    cosines, sines = turns
    pairs = int(cosines.shape[-1])
    turned, rest = x[..., : 2 * pairs], x[..., 2 * pairs :]
    axis = -1 if neighbors else -2
    parts = turned.reshape(*x.shape[:-1], *((pairs, 2) if neighbors else (2, pairs)))
    first, second = (part.squeeze(axis) for part in parts.split(1, dim=axis))
    both = (first * cosines - second * sines, first * sines + second * cosines)
    result: Tensor = both[0].stack(both[1], dim=axis).flatten(-2)
    return result.cat(rest, dim=-1) if int(rest.shape[-1]) else result


class Transformer:
    """A model that remembers the keys and values of all tokens that it has been given.

    Attributes: `config`, `context` (the most tokens that it remembers), `nbytes` (the memory of
    its matrices), `nbytes_read` (what one token reads of these).
    """

    def __init__(
        self,
        config: Config,
        tensors: Mapping[str, Encoded],
        *,
        context: int | None = None,
        chunk: int = 64,
        form: str = "packed",
        cache: DType = dtypes.float16,
    ) -> None:
        """Raises ValueError for tensors that are missing or of other shapes.

        `context` is that of the file, or 4096 if that is more. `chunk` tokens are computed at
        once, `form` is that of matrices (see Matrix), `cache` the type of keys and values.
        """
        self.config = config
        self.context = min(config.context, 4096) if context is None else context
        self.chunk = chunk
        if self.context < 1 or chunk < 1:
            raise ValueError(f"context {self.context} and chunk {chunk} must be positive")
        # The last chunk is filled up, and its end is written, too.
        rows = self.context + chunk
        state = _State(tensors, form)
        self._embedding = state.matrix("token_embd.weight", config.vocabulary, config.width)
        self._output = self._embedding
        if "output.weight" in tensors:
            self._output = state.matrix("output.weight", config.vocabulary, config.width)
        self._norm = state.vector("output_norm.weight", config.width)
        self._layers = [
            _Layer(config, state, f"blk.{i}", rows, cache) for i in range(config.layers)
        ]
        size = config.rotated_size or config.head_size
        factors = state.optional("rope_freqs.weight", size // 2)
        angles, scale = frequencies(config, [] if factors is None else factors.tolist())
        turns = Tensor.arange(rows).cast(dtypes.float32).unsqueeze(1) * Tensor(angles)
        self._cosines = (turns.cos() * scale).contiguous().realize()
        self._sines = (turns.sin() * scale).contiguous().realize()
        self._position = Variable("position", 0, self.context - 1)
        self._last = Variable("last", 0, chunk - 1)
        self._step: TinyJit[Tensor] = TinyJit(self._compute)
        self._chunk_step: TinyJit[Tensor] = TinyJit(self._compute)
        self._fill_step = TinyJit(self._fill)

        matrices = [self._output]
        for layer in self._layers:
            parts = (layer.q, layer.k, layer.v, layer.output, layer.gate, layer.up, layer.down)
            matrices += [part.matrix for part in parts]
        self.nbytes_read = sum(matrix.nbytes for matrix in matrices)
        shared = self._output is self._embedding
        self.nbytes = self.nbytes_read + (0 if shared else self._embedding.nbytes)

    def _run_layers(self, tokens: Tensor, position: Any) -> Tensor:
        """What is known after each of the tokens: (n, width)."""
        count = int(tokens.shape[0])
        x = self._embedding.rows(tokens)
        end = position + count
        turns = (self._cosines[position:end], self._sines[position:end])
        for layer in self._layers:
            x = layer(x, position, turns)
        return x

    def _compute(self, tokens: Tensor, position: Any, last: Any) -> Tensor:
        x = self._run_layers(tokens, position)[last : last + 1]
        return self._output(_normalize(x, self._norm, self.config.epsilon)).flatten()

    def _fill(self, tokens: Tensor, position: Any) -> Tensor:
        """Only for the cache: the last layer's result is needed by nothing."""
        return self._run_layers(tokens, position)[-1:]

    def __call__(self, tokens: Sequence[int], position: int = 0) -> Tensor:
        """The logits, float32 of (vocabulary), of what comes after tokens at a position, which
        follow those that are before it.

        Raises IndexError for tokens and positions that the model does not have.
        """
        if isinstance(tokens, Tensor):
            raise TypeError("tokens are a list of ints, not a Tensor: use tolist()")
        if not tokens:
            raise IndexError("there are no tokens")
        for token in tokens:
            if not hasattr(type(token), "__index__"):
                raise TypeError(f"tokens are ints, such as Tokenizer.encode() gives, not {token!r}")
            if not 0 <= token < self.config.vocabulary:
                raise IndexError(f"token {token} is not one of {self.config.vocabulary}")
        end = position + len(tokens)
        if position < 0 or end > self.context:
            raise IndexError(f"positions {position} to {end} exceed the context {self.context}")
        rest = list(tokens)
        while len(rest) > self.chunk and self.chunk > 1:
            part = Tensor(rest[: self.chunk], dtype=dtypes.int32)
            self._fill_step(part, self._position.bind(position))
            position, rest = position + self.chunk, rest[self.chunk :]
        # A chunk costs as much as a few tokens, since both read all weights.
        if 2 < len(rest) <= self.chunk:
            part = Tensor(rest + [0] * (self.chunk - len(rest)), dtype=dtypes.int32)
            bound = self._last.bind(len(rest) - 1)
            return self._chunk_step(part, self._position.bind(position), bound)
        for i, token in enumerate(rest):
            part = Tensor([token], dtype=dtypes.int32)
            logits = self._step(part, self._position.bind(position + i), 0)
        return logits

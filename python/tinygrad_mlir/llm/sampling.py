"""Picks tokens by their logits, and generates texts."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.jit import TinyJit
from tinygrad_mlir.llm.model import Transformer

__all__ = ["Sampler", "generate"]


class Sampler:
    """Picks one of the likely tokens at random.

    A `temperature` of 0 always picks the likeliest one; above that, logits are divided by it. Of
    the `top_k` likeliest ones (0: all), it picks one of those that together have the probability
    `top_p`. Samplers of one `seed` pick the same tokens.
    """

    def __init__(
        self,
        temperature: float = 0.8,
        top_k: int = 40,
        top_p: float = 0.95,
        seed: int | None = None,
    ) -> None:
        """Raises ValueError for numbers out of range, which it names."""
        if not 0 <= temperature < math.inf:
            raise ValueError(f"temperature {temperature} must be 0 or more")
        if top_k < 0:
            raise ValueError(f"top_k {top_k} must be 0 or more")
        if not 0 < top_p <= 1:
            raise ValueError(f"top_p {top_p} must be more than 0, and 1 at most")
        self.temperature, self.top_k, self.top_p = temperature, top_k, top_p
        self._random = random.Random(seed)
        self._find_likeliest = TinyJit(Tensor.argmax)
        self._sort = TinyJit(self._sort_likeliest)

    def _sort_likeliest(self, logits: Tensor) -> tuple[Tensor, Tensor]:
        size = int(logits.shape[0])
        if not 0 < self.top_k < size:
            return logits.sort(descending=True)
        return logits.topk(self.top_k)

    def __call__(self, logits: Tensor) -> int:
        """One of the tokens, by float32 logits of (vocabulary)."""
        if self.temperature == 0:
            return int(self._find_likeliest(logits).item())
        sorted_logits, tokens = (part.tolist() for part in self._sort(logits))
        weights = [math.exp((x - sorted_logits[0]) / self.temperature) for x in sorted_logits]
        limit = self.top_p * math.fsum(weights)
        count = 1 + sum(total < limit for total in itertools.accumulate(weights))
        return int(self._random.choices(tokens[:count], weights[:count])[0])


def generate(
    model: Transformer, tokens: Sequence[int], sampler: Sampler, position: int = 0
) -> Iterator[int]:
    """What follows the tokens at a position, token by token, until the model's context is full.

    The last token of all is known to the model when the next one is asked for. Raises IndexError
    as the model does.
    """
    logits = model(tokens, position)
    position += len(tokens)
    while True:
        yield (token := sampler(logits))
        if position == model.context:
            return
        logits = model([token], position)
        position += 1

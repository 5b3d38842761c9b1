"""RNN, GRU and LSTM, one step after the other."""

from __future__ import annotations

from collections.abc import Callable

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.nn.onnx.errors import UnsupportedOnnxError
from tinygrad_mlir.nn.onnx.operators.movement import reverse_sequence
from tinygrad_mlir.nn.onnx.registry import operator

Function = Callable[[Tensor], Tensor]
#: From a row of the input and the states before to the states after.
Step = Callable[[Tensor, tuple[Tensor, ...]], tuple[Tensor, ...]]

#: Activations for the numbers alpha and beta, and these numbers if none are given.
Activation = Callable[[Tensor, float, float], Tensor]
ACTIVATIONS: dict[str, tuple[Activation, float, float]] = {
    "Affine": (lambda x, a, b: x * a + b, 1.0, 0.0),
    "Elu": (lambda x, a, b: x.elu(a), 1.0, 0.0),
    "HardSigmoid": (lambda x, a, b: (x * a + b).clip(0, 1), 0.2, 0.5),
    "LeakyRelu": (lambda x, a, b: x.leaky_relu(a), 0.01, 0.0),
    "Relu": (lambda x, a, b: x.relu(), 0.0, 0.0),
    "ScaledTanh": (lambda x, a, b: (x * b).tanh() * a, 1.0, 1.0),
    "Sigmoid": (lambda x, a, b: x.sigmoid(), 0.0, 0.0),
    "Softplus": (lambda x, a, b: x.softplus(), 0.0, 0.0),
    "Softsign": (lambda x, a, b: x.softsign(), 0.0, 0.0),
    "Tanh": (lambda x, a, b: x.tanh(), 0.0, 0.0),
    "ThresholdedRelu": (lambda x, a, b: (x > a).where(x, 0), 1.0, 0.0),
}
_BY_LOWER_NAME = {name.lower(): name for name in ACTIVATIONS}


def _activations(
    names: list[str], alphas: list[float] | None, betas: list[float] | None, clip: float | None
) -> list[Function]:
    """Functions by name; each takes numbers from the lists if it has any."""
    left = [list(alphas or []), list(betas or [])]
    result: list[Function] = []
    for name in names:
        known = _BY_LOWER_NAME.get(name.lower())
        if known is None:
            raise UnsupportedOnnxError(f"the activation '{name}', not one of {[*ACTIVATIONS]}")
        call, alpha, beta = ACTIVATIONS[known]
        if known not in ("Relu", "Sigmoid", "Softplus", "Softsign", "Tanh"):
            alpha = left[0].pop(0) if left[0] else alpha
            if known in ("Affine", "HardSigmoid", "ScaledTanh"):
                beta = left[1].pop(0) if left[1] else beta

        def function(
            x: Tensor, call: Activation = call, alpha: float = alpha, beta: float = beta
        ) -> Tensor:
            return call(x if clip is None else x.clip(-clip, clip), alpha, beta)

        result.append(function)
    return result


class _Layer:
    """What all three have in common: directions, layouts, lengths of sequences."""

    def __init__(self, x: Tensor, recurrent: Tensor, lengths: Tensor | None, layout: int) -> None:
        self.layout = layout
        #: (time, batch, features)
        self.x = x.transpose(0, 1) if layout else x
        self.lengths = None if lengths is None else lengths.cast("int32")
        self.num_directions, self.hidden = recurrent.shape[0], recurrent.shape[-1]

    def initial(self, state: Tensor | None, direction: int) -> Tensor:
        if state is None:
            return Tensor.zeros(self.x.shape[1], self.hidden, dtype=self.x.dtype)
        return (state.transpose(0, 1) if self.layout else state)[direction]

    def run(
        self, direction: str, initial: tuple[Tensor | None, ...], make_step: Callable[[int], Step]
    ) -> tuple[Tensor, ...]:
        """Y and the last states of all directions in the layout of the input.

        `initial` has the states of all directions, `make_step` gives the step of each.
        """
        outputs, last = [], []
        for d in range(self.num_directions):
            states = tuple(self.initial(state, d) for state in initial)
            is_reverse = direction == "reverse" or d == 1
            y, states = self._run_direction(is_reverse, states, make_step(d))
            outputs.append(y)
            last.append(states)
        return self._join(outputs, last)

    def _run_direction(
        self, is_reverse: bool, states: tuple[Tensor, ...], step: Step
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The first state after each step, (time, batch, hidden), and the last states."""
        x = self._reverse(self.x) if is_reverse else self.x
        outputs = []
        for t in range(x.shape[0]):
            new = step(x[t], states)
            if self.lengths is None:
                states = new
                outputs.append(states[0])
                continue
            active = (self.lengths > t).unsqueeze(1)
            states = tuple(active.where(a, b) for a, b in zip(new, states, strict=True))
            outputs.append(active.where(states[0], 0))
        y = outputs[0].stack(*outputs[1:])
        return (self._reverse(y) if is_reverse else y), states

    def _reverse(self, x: Tensor) -> Tensor:
        if self.lengths is None:
            return x.flip(0)
        return reverse_sequence(x, self.lengths, 1, 0)

    def _join(self, outputs: list[Tensor], last: list[tuple[Tensor, ...]]) -> tuple[Tensor, ...]:
        y = outputs[0].stack(*outputs[1:], dim=1)
        if self.layout:
            y = y.permute(2, 0, 1, 3)
        states = []
        for parts in zip(*last, strict=True):
            state = parts[0].stack(*parts[1:])
            states.append(state.transpose(0, 1) if self.layout else state)
        return (y, *states)


def _biases(bias: Tensor | None, direction: int) -> tuple[Tensor | None, Tensor | None]:
    """Those of the input and of the state."""
    if bias is None:
        return None, None
    row = bias[direction]
    half = row.shape[0] // 2
    return row[:half], row[half:]


@operator("RNN")
def rnn(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    bias: Tensor | None = None,
    lengths: Tensor | None = None,
    initial_h: Tensor | None = None,
    *,
    activations: list[str] | None = None,
    activation_alpha: list[float] | None = None,
    activation_beta: list[float] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
    output_sequence: int = 0,
) -> tuple[Tensor, ...]:
    layer = _Layer(x, r, lengths, layout)
    names = activations or ["Tanh"] * layer.num_directions
    functions = _activations(names, activation_alpha, activation_beta, clip)

    def make_step(d: int) -> Step:
        b, rb = _biases(bias, d)

        def step(row: Tensor, states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            total = row.linear(w[d].T, b) + states[0].linear(r[d].T, rb)
            return (functions[d](total),)

        return step

    return layer.run(direction, (initial_h,), make_step)


@operator("GRU")
def gru(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    bias: Tensor | None = None,
    lengths: Tensor | None = None,
    initial_h: Tensor | None = None,
    *,
    activations: list[str] | None = None,
    activation_alpha: list[float] | None = None,
    activation_beta: list[float] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
    linear_before_reset: int = 0,
    output_sequence: int = 0,
) -> tuple[Tensor, ...]:
    layer = _Layer(x, r, lengths, layout)
    names = activations or ["Sigmoid", "Tanh"] * layer.num_directions
    functions = _activations(names, activation_alpha, activation_beta, clip)
    hidden = layer.hidden

    def make_step(d: int) -> Step:
        b, rb = _biases(bias, d)
        f, g = functions[2 * d : 2 * d + 2]

        def step(row: Tensor, states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            h = states[0]
            inner = row.linear(w[d].T, b)
            gates = h.linear(r[d][: 2 * hidden].T, None if rb is None else rb[: 2 * hidden])
            z = f(inner[:, :hidden] + gates[:, :hidden])
            reset = f(inner[:, hidden : 2 * hidden] + gates[:, hidden:])
            rest, rest_bias = r[d][2 * hidden :].T, None if rb is None else rb[2 * hidden :]
            if linear_before_reset:
                candidate = reset * h.linear(rest, rest_bias)
            else:
                candidate = (reset * h).linear(rest, rest_bias)
            candidate = g(inner[:, 2 * hidden :] + candidate)
            return ((1 - z) * candidate + z * h,)

        return step

    return layer.run(direction, (initial_h,), make_step)


@operator("LSTM")
def lstm(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    bias: Tensor | None = None,
    lengths: Tensor | None = None,
    initial_h: Tensor | None = None,
    initial_c: Tensor | None = None,
    peepholes: Tensor | None = None,
    *,
    activations: list[str] | None = None,
    activation_alpha: list[float] | None = None,
    activation_beta: list[float] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    input_forget: int = 0,
    layout: int = 0,
    output_sequence: int = 0,
) -> tuple[Tensor, ...]:
    """Gates are i, o, f and c."""
    layer = _Layer(x, r, lengths, layout)
    names = activations or ["Sigmoid", "Tanh", "Tanh"] * layer.num_directions
    functions = _activations(names, activation_alpha, activation_beta, clip)

    def make_step(d: int) -> Step:
        b, rb = _biases(bias, d)
        f, g, h = functions[3 * d : 3 * d + 3]
        holes = peepholes[d].chunk(3) if peepholes is not None else None

        def step(row: Tensor, states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            hidden, cell = states
            gates = row.linear(w[d].T, b) + hidden.linear(r[d].T, rb)
            i, o, forget, candidate = gates.chunk(4, dim=1)
            if holes is not None:
                i, forget = i + holes[0] * cell, forget + holes[2] * cell
            i = f(i)
            forget = 1 - i if input_forget else f(forget)
            cell = forget * cell + i * g(candidate)
            o = f(o + holes[1] * cell if holes is not None else o)
            return o * h(cell), cell

        return step

    return layer.run(direction, (initial_h, initial_c), make_step)

"""Optimizers: each step is one program, which also computes gradients and losses.

Updates are computed from `.grad` of the parameters, in float32, or in float64 if a parameter is of
that type (OPTIM_DTYPE names another type for the state). Tensors that are no parameters
(`is_param_(False)`, such as running statistics) may be among those given: a step computes their
pending assignments.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from tinygrad_mlir import _core
from tinygrad_mlir._core import Tensor, to_dtype
from tinygrad_mlir.dtype import dtypes, least_upper_dtype
from tinygrad_mlir.helpers import FUSE_OPTIM, flatten, getenv
from tinygrad_mlir.nn.parameters import is_parameter, set_parameter

__all__ = ["LAMB", "LARS", "SGD", "Adam", "AdamW", "Muon", "Optimizer", "OptimizerGroup"]


def _distinct(tensors: Sequence[Tensor]) -> list[Tensor]:
    return list({id(tensor): tensor for tensor in tensors}.values())


def _make_state(initial: Tensor) -> Tensor:
    return set_parameter(_core.parameter(initial), False)


def _give_memory(param: Tensor) -> None:
    """Makes constants, of which equal ones are one, and random numbers into memory of their own."""
    if param.requires_grad:
        return
    try:
        param.requires_grad_(True)
        param.requires_grad_(False)
    except _core.DTypeError:
        raise
    except _core.Error:
        pass  # a view, whose memory is that of another tensor


class Optimizer:
    """What all have in common. `lr` is a tensor of shape (1,), which may be assigned to.

    With `fused`, the update is computed for all parameters as one vector. Raises ValueError for a
    negative rate, AssertionError if there is no parameter.
    """

    def __init__(
        self,
        params: list[Tensor],
        lr: float,
        device: str | tuple[str, ...] | None = None,
        fused: Any = FUSE_OPTIM,
    ) -> None:
        if lr < 0:
            raise ValueError(f"the learning rate must not be negative, and is {lr}")
        self.params: list[Tensor] = _distinct([x for x in params if is_parameter(x)])
        assert self.params, "an optimizer needs at least one parameter"
        for param in self.params:
            _give_memory(param)
        self.buffers: list[Tensor] = _distinct([x for x in params if not is_parameter(x)])
        self.device = device or self.params[0].device
        is_wide = any(x.dtype == dtypes.float64 for x in self.params)
        self.param_dtype = to_dtype(getenv("OPTIM_DTYPE", "float64" if is_wide else "float32"))
        self.fused = fused
        is_wide |= Tensor([float(lr)]).dtype == dtypes.float64
        # At least float32, whatever the default type of floats is.
        wide = dtypes.float64 if is_wide else dtypes.float32
        self.lr = set_parameter(Tensor([lr], dtype=wide).to(self.device), False)
        self.pos_params = list(itertools.accumulate((x.numel() for x in self.params), initial=0))

    def _new_optim_param(self) -> list[Tensor]:
        """Zeros of the shape of each parameter, or of all as one vector."""
        if self.fused:
            zeros = Tensor.zeros((self.pos_params[-1],), dtype=self.param_dtype)
            return [_make_state(zeros.to(self.device))]
        made = []
        for x in self.params:
            zeros = Tensor.zeros(x.shape, dtype=self.param_dtype)
            is_like = isinstance(self.device, tuple) and self.device == x.device
            made.append(_make_state(zeros.shard_like(x) if is_like else zeros.to(self.device)))
        return made

    def zero_grad(self) -> None:
        """Removes the gradients of all parameters."""
        for param in self.params:
            param.grad = None

    def step(self) -> None:
        """Updates the parameters. Raises as schedule_step() does."""
        pending = self.schedule_step()
        # A loss would else be computed again, from copies of the parameters.
        _core.realize(pending + _core.take_losses(self.params[0]))

    def schedule_step(self) -> list[Tensor]:
        """Assigns the update, and returns what has to be realized.

        Raises RuntimeError if Tensor.training is off, AssertionError for a parameter without a
        gradient.
        """
        if not Tensor.training:
            raise RuntimeError(
                "Tensor.training is off, but has to be on for the step of an optimizer: "
                "set it, or use `with Context(TRAINING=1):`"
            )
        _core.JitCore.note_optimizer_step(self.params)
        # The steps are no part of what is differentiated.
        outer = Tensor._no_grad
        Tensor._no_grad = True
        try:
            return self._schedule(self._gradients())
        finally:
            Tensor._no_grad = outer

    def _gradients(self) -> list[Tensor]:
        grads = []
        for i, param in enumerate(self.params):
            assert param.grad is not None, (
                f"parameter {i}, of shape {param.shape}, has no gradient: "
                "call backward() of a tensor that depends on it first"
            )
            grads.append(param.grad)
        return grads

    def _schedule(self, grads: list[Tensor]) -> list[Tensor]:
        if self.fused:
            whole = [Tensor.cat(*[x.flatten() for x in self.params])]
            steps, extra = self._step(whole, [Tensor.cat(*[g.flatten() for g in grads])])
            bounds = zip(self.params, self.pos_params, self.pos_params[1:])
            updates = [steps[0][begin:end].reshape(x.shape) for x, begin, end in bounds]
        else:
            updates, extra = self._step(self.params, grads)
        for param, update in zip(self.params, updates):
            param.assign(self._apply_update(param, update))
        return extra + self.params + self.buffers

    def _step(self, params: list[Tensor], grads: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        """What is subtracted from each parameter, and the state that has to be realized."""
        raise NotImplementedError

    def _apply_update(self, t: Tensor, up: Tensor) -> Tensor:
        return t.detach() - up.cast(t.dtype)


class OptimizerGroup(Optimizer):
    """Several optimizers, whose steps are one program."""

    def __init__(self, *optimizers: Optimizer) -> None:
        self.optimizers = optimizers
        self.params = flatten(o.params for o in optimizers)
        self.buffers = flatten(o.buffers for o in optimizers)

    def __getitem__(self, i: int) -> Optimizer:
        return self.optimizers[i]

    def zero_grad(self) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad()

    def schedule_step(self) -> list[Tensor]:
        return flatten([o.schedule_step() for o in self.optimizers])


def _norm(x: Tensor) -> Tensor:
    return x.square().sum().sqrt()


def _or_one(ratio: Tensor, *norms: Tensor) -> Tensor:
    """The ratio, or 1 if one of the norms is zero."""
    for norm in norms:
        ratio = (norm > 0).where(ratio, 1.0)
    return ratio


class LARS(Optimizer):
    """Gradient descent with momentum and a rate for each parameter; arXiv:1708.03888.

    With weights w, gradient g, momentum b and the ratio r = tcoef * |w| / (|g| + weight_decay *
    |w|), or 1 if a norm or tcoef is 0:

        g += weight_decay * w                     (if pre_wd)
        g *= r * lr                               (if classic)
        b = momentum * b + g;  g = g + momentum * b if nesterov else b
        g = newton_schulz(g)                      (if ns_coefficients)
        g *= r * lr                               (if not classic)
        g += lr * weight_decay * w                (if not pre_wd)
        w -= g
    """

    def __init__(
        self,
        params: list[Tensor],
        lr: float = 0.001,
        momentum: float = 0.9,
        weight_decay: float = 1e-4,
        ns_steps: int = 0,
        ns_coefficients: tuple[float, ...] | None = None,
        nesterov: bool = False,
        classic: bool = True,
        pre_wd: bool = True,
        tcoef: float = 0.001,
        device: str | tuple[str, ...] | None = None,
        fused: Any = FUSE_OPTIM,
    ) -> None:
        if momentum < 0:
            raise ValueError(f"the momentum must not be negative, and is {momentum}")
        super().__init__(params, lr, device, fused)
        self.momentum, self.wd = momentum, weight_decay
        self.ns_steps, self.ns_coefficients = ns_steps, ns_coefficients
        self.nesterov, self.classic, self.pre_wd, self.tcoef = nesterov, classic, pre_wd, tcoef
        self.b = self._new_optim_param() if momentum else []

    def _step(self, params: list[Tensor], grads: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        return [
            self._direction(i, w.detach(), g) for i, (w, g) in enumerate(zip(params, grads))
        ], self.b

    def _direction(self, i: int, w: Tensor, g: Tensor) -> Tensor:
        dtype = w.dtype
        rate = self.lr
        if self.tcoef != 0:
            w_norm, g_norm = _norm(w), _norm(g)
            ratio = self.tcoef * w_norm / (g_norm + self.wd * w_norm)
            rate = _or_one(ratio, w_norm, g_norm) * self.lr
        if self.pre_wd and self.wd > 0:
            g = g + self.wd * w
        if self.classic:
            g = g * rate
        if self.momentum:
            self.b[i].assign((self.momentum * self.b[i] + g).cast(self.b[i].dtype))
            g = g + self.momentum * self.b[i] if self.nesterov else self.b[i]
        if self.ns_coefficients:
            matrix = g.reshape(g.shape[0], -1)
            g = matrix.newton_schulz(self.ns_steps, self.ns_coefficients).reshape(g.shape)
        if not self.classic:
            g = g * rate
        if not self.pre_wd and self.wd > 0:
            g = g + self.wd * self.lr * w
        return g.cast(dtype)


def SGD(
    params: list[Tensor],
    lr: float = 0.001,
    momentum: float = 0.0,
    weight_decay: float = 0.0,
    nesterov: bool = False,
    classic: bool = False,
    device: str | tuple[str, ...] | None = None,
    fused: Any = FUSE_OPTIM,
) -> LARS:
    """Stochastic gradient descent: LARS with one rate for all. Of `classic`, see there."""
    return LARS(
        params,
        lr,
        momentum,
        weight_decay,
        nesterov=nesterov,
        classic=classic,
        tcoef=0.0,
        device=device,
        fused=fused,
    )


def Muon(
    params: list[Tensor],
    lr: float = 0.001,
    momentum: float = 0.95,
    weight_decay: float = 0.1,
    ns_steps: int = 5,
    ns_coefficients: tuple[float, ...] = (3.4445, -4.775, 2.0315),
    nesterov: bool = True,
    device: str | tuple[str, ...] | None = None,
    fused: Any = FUSE_OPTIM,
) -> LARS:
    """Momentum made orthogonal by Newton-Schulz steps, for matrices; arXiv:2502.16982."""
    assert not fused, "Muon updates each matrix by itself and cannot be fused"
    return LARS(
        params,
        lr,
        momentum,
        weight_decay,
        ns_steps,
        ns_coefficients,
        nesterov,
        classic=False,
        pre_wd=False,
        tcoef=0.0,
        device=device,
        fused=fused,
    )


class LAMB(Optimizer):
    """Adam's direction with a rate for each parameter; arXiv:1904.00962.

    With weights w, gradient g and moments m and v, in step t = 1, 2, ...:

        m = b1 * m + (1 - b1) * g;  v = b2 * v + (1 - b2) * g * g
        u = m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps) + weight_decay * w
        w -= lr * r * u

    with r = |w| / |u|, or 1 if a norm is 0 or `adam` is set. Raises ValueError for a negative
    weight_decay.
    """

    def __init__(
        self,
        params: list[Tensor],
        lr: float = 0.001,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        adam: bool = False,
        device: str | tuple[str, ...] | None = None,
        fused: Any = FUSE_OPTIM,
    ) -> None:
        if weight_decay < 0:
            raise ValueError(f"weight_decay must not be negative, and is {weight_decay}")
        super().__init__(params, lr, device, fused)
        self.b1, self.b2, self.eps, self.wd, self.adam = b1, b2, eps, weight_decay, adam
        # 1 - b^t would lose half of the digits in float32.
        ones = Tensor.ones((1,), dtype=dtypes.float64).to(self.device)
        self.b1_t, self.b2_t = _make_state(ones), _make_state(ones)
        self.m = self._new_optim_param()
        self.v = self._new_optim_param()

    def _step(self, params: list[Tensor], grads: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        self.b1_t.assign(self.b1_t * self.b1)
        self.b2_t.assign(self.b2_t * self.b2)
        steps = [self._direction(i, w.detach(), g) for i, (w, g) in enumerate(zip(params, grads))]
        return steps, [self.b1_t, self.b2_t, *self.m, *self.v]

    def _direction(self, i: int, w: Tensor, g: Tensor) -> Tensor:
        m, v = self.m[i], self.v[i]
        g = g.to(m.device)  # the state may be kept elsewhere
        m.assign((self.b1 * m + (1 - self.b1) * g).cast(m.dtype))
        v.assign((self.b2 * v + (1 - self.b2) * g.square()).cast(v.dtype))
        dtype = least_upper_dtype(m.dtype, dtypes.float32)
        root = (v / (1 - self.b2_t).cast(dtype)).sqrt()
        direction = (m / (1 - self.b1_t).cast(dtype) / (root + self.eps)).to(w.device)
        if self.wd > 0:
            direction = direction + self.wd * w
        rate = self.lr
        if not self.adam:
            w_norm, norm = _norm(w), _norm(direction)
            rate = rate * _or_one(w_norm / norm, w_norm, norm)
        return (rate * direction).cast(w.dtype)


def AdamW(
    params: list[Tensor],
    lr: float = 0.001,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    weight_decay: float = 0.01,
    device: str | tuple[str, ...] | None = None,
    fused: Any = FUSE_OPTIM,
) -> LAMB:
    """Adam with decoupled weight decay; arXiv:1711.05101."""
    return LAMB(params, lr, b1, b2, eps, weight_decay, adam=True, device=device, fused=fused)


def Adam(
    params: list[Tensor],
    lr: float = 0.001,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    device: str | tuple[str, ...] | None = None,
    fused: Any = FUSE_OPTIM,
) -> LAMB:
    """Adaptive moments; arXiv:1412.6980."""
    return LAMB(params, lr, b1, b2, eps, 0.0, adam=True, device=device, fused=fused)

"""torch.compile with this compiler as its users have it, beside PyTorch itself: optimizers, arguments
that are written, modes, threads, copies and exported programs."""

import copy
import threading

import pytest

torch = pytest.importorskip("torch")
from torch_checks import (  # noqa: E402
    F,
    ONE,
    P,
    check,
    compile,
    no_warnings,  # noqa: F401
)

nn, optim = torch.nn, torch.optim


class Scaled(torch.optim.Optimizer):
    """Steps whose length is a share of the parameter's, as in LAMB."""

    def __init__(self, params):
        super().__init__(params, {"lr": 0.05, "decay": 0.01})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["mean"], state["square"] = torch.zeros_like(p), torch.zeros_like(p)
                state["mean"].lerp_(p.grad, 0.1)
                state["square"].mul_(0.99).addcmul_(p.grad, p.grad, value=0.01)
                update = state["mean"] / (state["square"].sqrt() + 1e-6) + group["decay"] * p
                ratio = torch.where(p.norm() > 0, p.norm() / update.norm(), 1.0)
                p.sub_(update * ratio * group["lr"])


OPTIMIZERS = {
    "SGD": lambda p, **kinds: optim.SGD(p, 0.05, **kinds),
    "momentum": lambda p, **kinds: optim.SGD(p, 0.05, momentum=0.9, weight_decay=0.01, **kinds),
    "Nesterov": lambda p, **kinds: optim.SGD(p, 0.05, momentum=0.9, nesterov=True, **kinds),
    "Adam": lambda p, **kinds: optim.Adam(p, 0.01, **kinds),
    "AMSGrad": lambda p, **kinds: optim.Adam(p, 0.01, amsgrad=True, weight_decay=0.1, **kinds),
    "AdamW": lambda p, **kinds: optim.AdamW(p, 0.01, **kinds),
    "RMSprop": lambda p, **kinds: optim.RMSprop(p, 0.01, momentum=0.9, centered=True, **kinds),
    "Adagrad": lambda p, **kinds: optim.Adagrad(p, 0.01, **kinds),
    "Adadelta": lambda p, **kinds: optim.Adadelta(p, **kinds),
    "NAdam": lambda p, **kinds: optim.NAdam(p, **kinds),
    "own": lambda p, foreach: Scaled(p),
}


def make_training(make_optimizer, make_step):
    """A function that takes steps, and the parameters."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 6), nn.Tanh(), nn.Linear(6, 4))
    optimizer = make_optimizer(model.parameters())
    step = make_step(optimizer)

    def train(count):
        for _ in range(count):
            optimizer.zero_grad()
            model(torch.randn(5, 8)).square().mean().backward()
            step()

    return train, list(model.parameters())


@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name, foreach, monkeypatch):
    """Whole steps are compiled, and write into the parameters without a copy."""

    def make(parameters):
        return OPTIMIZERS[name](parameters, foreach=foreach)

    def refuse(*args):
        raise AssertionError("copies a tensor")

    train, expected = make_training(make, lambda optimizer: optimizer.step)
    train(6)
    train, found = make_training(make, lambda optimizer: compile(optimizer.step))
    addresses = [p.data_ptr() for p in found]
    train(4)
    monkeypatch.setattr(torch.Tensor, "copy_", refuse)
    monkeypatch.setattr(torch.Tensor, "clone", refuse)
    train(2)
    monkeypatch.undo()
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert addresses == [p.data_ptr() for p in found]


def test_learning_rate_that_changes():
    """As a tensor, it is an argument of the step."""

    def make(parameters):
        return optim.Adam(parameters, torch.tensor(0.01))

    def with_schedule(step_of):
        def step_and_schedule(optimizer):
            schedule = optim.lr_scheduler.LinearLR(optimizer, total_iters=4)
            step = step_of(optimizer)
            return lambda: (step(), schedule.step())

        return step_and_schedule

    results = []
    for step_of in (lambda o: o.step, lambda o: compile(o.step)):
        train, parameters = make_training(make, with_schedule(step_of))
        train(6)
        results.append(parameters)
    torch.testing.assert_close(*results, rtol=1e-4, atol=1e-5)


def test_step_of_training_in_one_function():
    def make(model):
        optimizer = optim.AdamW(model.parameters(), lr=0.01)

        def step(x):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            optimizer.step()
            return loss.detach()

        return step

    models = [nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 4)) for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    steps = [make(models[0]), compile(make(models[1]))]
    for x in torch.randn(5, 3, 8):
        torch.testing.assert_close(*[step(x) for step in steps], rtol=1e-4, atol=1e-6)
    states = [list(model.parameters()) for model in models]
    torch.testing.assert_close(*states, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "name", sorted(op for op in dir(torch) if op.startswith("_foreach_") and op[-1] != "_")
)
def test_operations_on_lists(name):
    """With all kinds of arguments that there are."""
    x, positive = [F, -F[:, :2]], [P, P[:, 1:] + 1]
    pairs = [P + 2, P[:, :2] + 1]
    numbers = [2.0, 0.5]
    function = getattr(torch, name)
    if name in ("_foreach_addcmul", "_foreach_addcdiv"):
        others = [(pairs, pairs, value) for value in (2.0, numbers, torch.tensor(numbers))]
        cases = [lambda o=o: function(x, *o) for o in others]
    elif name == "_foreach_lerp":
        cases = [lambda w=w: function(x, pairs, w) for w in (0.3, numbers, pairs)]
    elif name == "_foreach_pow":
        cases = [lambda w=w: function(positive, w) for w in (2.5, numbers, pairs)]
        cases.append(lambda: function(2.0, x))
    elif name == "_foreach_norm":
        cases = [lambda w=w: function(x, w) for w in (2, 1, float("inf"))]
    elif name == "_foreach_mm":
        cases = [lambda: function([F[0], P[0]], [F[1].T, P[1].T])]
    elif name in ("_foreach_add", "_foreach_sub", "_foreach_mul", "_foreach_div") or name[9:] in (
        "clamp_max",
        "clamp_min",
        "maximum",
        "minimum",
    ):
        cases = [lambda w=w: function(x, w) for w in (0.5, numbers, pairs)]
        if name in ("_foreach_add", "_foreach_mul", "_foreach_div"):
            cases.append(lambda: function(x, ONE))
        if name in ("_foreach_add", "_foreach_sub"):
            cases.append(lambda: function(x, pairs, alpha=0.5))
    elif name == "_foreach_copy":
        cases = [lambda: function(x, pairs)]
    elif name == "_foreach_powsum":
        cases = [lambda: function(x, 2)]
    elif name in ("_foreach_asin", "_foreach_acos"):
        cases = [lambda: function([part / 3 for part in x])]
    else:
        wants_positive = name[9:] in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt")
        cases = [lambda: function(positive if wants_positive else x)]
    for case in cases:
        check(lambda case=case: tuple(case()))


def test_results_have_memory_of_their_own():
    """Copies are copies, also of what the compiler computes once."""

    def function(x):
        return x.clone(), x[:2].clone(), x.T.contiguous(), x + 1, (x + 1).clone(), x * 1

    compiled = compile(function)
    for x in torch.randn(4, 4, 4):
        found, expected = compiled(x), function(x.clone())
        x.zero_()
        for i, value in enumerate(found):
            torch.testing.assert_close(value, expected[i])
            value.zero_()


def keep_old(x, y):
    old, same = x.clone(), x * 1
    x.add_(y)
    return old, same, x.T


def swap(x, y):
    old = x.clone()
    x.copy_(y)
    y.copy_(old)
    return x + y


def add_to_slice(x, y):
    x[1:].add_(y[1:])
    return x.sum()


WRITTEN = {
    "contiguous": lambda: (torch.arange(12.0).reshape(3, 4), torch.ones(3, 4)),
    "transposed": lambda: (torch.arange(12.0).reshape(4, 3).T, torch.ones(3, 4)),
    "gaps": lambda: (torch.arange(24.0).reshape(3, 8)[:, ::2], torch.ones(3, 4)),
    "one memory": lambda: torch.arange(24.0).reshape(2, 3, 4).unbind(),
}


@pytest.mark.parametrize("layout", WRITTEN)
@pytest.mark.parametrize("function", [keep_old, swap, add_to_slice])
def test_arguments_that_are_written(function, layout):
    compiled = compile(function)
    own, other = WRITTEN[layout](), WRITTEN[layout]()
    for _ in range(4):
        torch.testing.assert_close(compiled(*own), function(*other))
        torch.testing.assert_close(own, other)


def test_arguments_at_other_addresses():
    """Of one shape; each is read where it is, and written there."""
    compiled = compile(lambda x, y: x.mul_(y).sum())
    for i in range(8):
        kept = torch.empty(i + 1)
        x, y = torch.full((3,), float(i)), torch.full((3,), 2.0)
        assert compiled(x, y).item() == 6 * i and x.tolist() == [2.0 * i] * 3
        del kept


def test_buffers_that_change():
    """The statistics of a normalization, with and without gradients."""
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
    same = copy.deepcopy(model)
    compiled = compile(model)
    for mode in (True, False):
        with torch.set_grad_enabled(mode):
            for x in torch.randn(4, 2, 3, 6, 6):
                torch.testing.assert_close(compiled(x), same(x), rtol=1e-4, atol=1e-5)
                torch.testing.assert_close(list(model.buffers()), list(same.buffers()))


@pytest.mark.parametrize("mode", ["default", "reduce-overhead", "max-autotune"])
def test_modes(mode):
    model, x = nn.Linear(3, 4), torch.randn(5, 3)
    compiled = torch.compile(model, backend="tinygrad_mlir", mode=mode, fullgraph=True)
    for _ in range(3):
        torch.testing.assert_close(compiled(x), model(x))


def test_autocast():
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 4))
    x = torch.randn(2, 3, 6, 6)
    results = []
    for function in (model, compile(model)):
        model.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            result = function(x)
        result.float().square().sum().backward()
        results.append([result.detach(), *(p.grad for p in model.parameters())])
    assert results[1][0].dtype == torch.bfloat16
    torch.testing.assert_close(*results, rtol=5e-2, atol=5e-2)


def test_threads():
    """Several threads make the first calls, and later ones, of one compiled module."""
    model = nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 4))
    compiled, errors = compile(model), []

    def work(seed):
        try:
            for x in torch.randn(30, 5, 8, generator=torch.Generator().manual_seed(seed)):
                with torch.no_grad():
                    torch.testing.assert_close(compiled(x), model(x))
                leaves = [x.clone().requires_grad_() for _ in range(2)]
                for function, leaf in zip((compiled, model), leaves):
                    gradient = torch.autograd.grad(function(leaf).sum(), leaf)[0]
                    leaf.data.copy_(gradient)
                torch.testing.assert_close(*leaves)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def test_copies_of_compiled_modules():
    model, x = nn.Linear(3, 4), torch.randn(5, 3)
    compiled = compile(model)
    for _ in range(3):
        compiled(x)
    other = copy.deepcopy(compiled)
    with torch.no_grad():
        other.weight.zero_()
    for _ in range(3):
        torch.testing.assert_close(compiled(x), model(x))
        torch.testing.assert_close(other(x), other.bias.expand(5, 4))


def test_graph_breaks():
    def function(x):
        y = x.sin()
        if y.sum() > 0:
            y = y + 1
        return y * x.shape[0]

    compiled = compile(function)
    for x in torch.randn(4, 5, 3):
        torch.testing.assert_close(compiled(x), function(x))


def test_exported_programs():
    model = nn.Sequential(nn.Linear(8, 6), nn.GELU())
    sizes = {"input": {0: torch.export.Dim("batch", min=2, max=64)}}
    program = torch.export.export(model, (torch.randn(5, 8),), dynamic_shapes=sizes)
    compiled = compile(program.module())
    for count in (3, 4, 5, 4):
        x = torch.randn(count, 8)
        torch.testing.assert_close(compiled(x), model(x))

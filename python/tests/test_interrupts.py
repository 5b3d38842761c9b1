"""Ctrl-C during compilations and computations, and threads that wait for one another."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from ticker import Ticker
from tinygrad_mlir import Context, GlobalCounters, JitError, Tensor, TinyJit


class InterruptSoon:
    """Sends SIGINT to this process a moment after the block begins, unless it has ended."""

    def __init__(self, seconds=0.3):
        self.timer = threading.Timer(seconds, self.send)
        self.sent = None

    def send(self):
        self.sent = time.process_time()
        os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self):
        self.timer.start()
        return self

    def __exit__(self, kind, *_):
        self.timer.cancel()
        self.timer.join()
        # How long it took, in seconds of all threads: other programs use the machine, too.
        bound = 3 * (os.cpu_count() or 1)
        assert kind is not KeyboardInterrupt or time.process_time() - self.sent < bound


def long_product(rows):
    """Seconds of work in a few kernels."""
    x = Tensor(np.ones((rows, rows), np.float32)).realize()
    return x, x.matmul(x).matmul(x).matmul(x)


def test_computation_stops():
    x, y = long_product(5000)
    with pytest.raises(KeyboardInterrupt), InterruptSoon(0.5):
        while True:
            y.clone().realize()
    # The graph is as before.
    assert (x[:1] @ x @ x)[0, :2].tolist() == [5000.0**2] * 2
    assert (x[0, 0] + 1).item() == 2


def test_many_steps_stop():
    x = Tensor.eye(4).clone().realize()
    with pytest.raises(KeyboardInterrupt), InterruptSoon():
        x.newton_schulz(10**12, (2.0, -1.5, 0.5))
    assert x.newton_schulz(1, (2.0, -1.5, 0.5)).shape == (4, 4)


def test_masks_stop():
    x = Tensor.ones(1000, 1000).clone().realize()
    with pytest.raises(KeyboardInterrupt), InterruptSoon():
        while True:
            x[(x @ x) > 2000]
    with pytest.raises(KeyboardInterrupt), InterruptSoon():
        while True:
            x.masked_select((x @ x) > 2000)
    assert x[x[:, 0] < 2].shape == (1000, 1000)


def test_compilation_stops():
    with Context(CACHELEVEL=0):
        parts = [
            (Tensor.ones(i, i + 1).contiguous() * i).softmax().sum(axis=0) for i in range(2, 202)
        ]
        kernels = GlobalCounters.kernel_count
        with pytest.raises(KeyboardInterrupt), InterruptSoon():
            parts[0].realize(*parts[1:])
        assert GlobalCounters.kernel_count == kernels
        assert parts[1].tolist() == pytest.approx([0.75] * 4)


def test_nothing_is_assigned_by_halves():
    _, y = long_product(1500)
    a, b = Tensor.zeros(2).clone().realize(), Tensor.zeros(2).clone().realize()
    a.assign(a + 1)
    b.assign(b + y[0, :2] * 0 + y.sum() * 0 + 2)
    with pytest.raises(KeyboardInterrupt), InterruptSoon(0.05):
        a.realize(b)
        time.sleep(10)
    # Not a second time, and not lost.
    assert a.tolist() == [1, 1]


def test_replay_stops():
    weight = Tensor.zeros(1).clone().realize()

    @TinyJit
    def step(x, y):
        return (x @ x @ x @ x).sum() + y

    small = Tensor.ones(8, 8).clone().realize()
    for _ in range(3):
        assert step(small, weight).item() == 8**5
    large_step = TinyJit(lambda x: (x @ x).relu().sum())
    large = Tensor.ones(3000, 3000).clone().realize()
    values = [large_step(large).item() for _ in range(2)]
    with pytest.raises(KeyboardInterrupt), InterruptSoon(0.2):
        while True:
            large_step(large)
    assert large_step(large).item() == values[1]
    assert step(small, weight).item() == 8**5


def test_other_handlers_run_after_the_computation():
    seen = []
    previous = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        x = Tensor.ones(1500, 1500).clone().realize()
        with InterruptSoon(0.02):
            assert (x @ x @ x).sum().item() > 0
            while not seen:
                time.sleep(0.01)
        assert seen == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, previous)


def test_threads_run_while_one_waits_for_the_graph():
    """A thread that builds a graph waits for one that computes, and a third one goes on."""
    x = Tensor.ones(2000, 2000).clone().realize()
    (x @ x).realize()  # compiles
    done = threading.Event()

    def compute():
        while not done.is_set():
            (x @ x @ x @ x).realize()

    thread = threading.Thread(target=compute)
    thread.start()
    with Ticker() as ticker:
        # Not, if the thread that waits kept Python's lock.
        runs = ticker.runs_during(lambda: Tensor.ones(3) + 1)
    done.set()
    thread.join()
    assert runs


def test_others_build_while_the_main_thread_computes():
    """It asks for signals, for which it needs Python's lock, while it holds the graph's."""
    x = Tensor.ones(1500, 1500).clone().realize()
    is_done = False
    built = []

    def build():
        while not is_done:
            Tensor.ones(3) + 1
            built.append(1)

    threads = [threading.Thread(target=build) for _ in range(3)]
    for thread in threads:
        thread.start()
    begin = time.monotonic()
    # Longer where the others wait for a core.
    while time.monotonic() - begin < (60 if not built else 0.5):
        (x @ x).realize()
    is_done = True
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert built


def test_threads_share_graphs_and_custom_gradients():
    """The computing thread needs Python's lock while the others wait for the graph's."""
    errors = []

    def work(seed):
        try:
            for i in range(20):
                x = Tensor([float(seed), float(i)])
                y = (x * 2).with_gradient([x], lambda g: g * 5)
                assert y.sum().gradient(x)[0].tolist() == [5, 5]
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not errors


def test_capture_that_is_stopped_can_be_repeated():
    x = Tensor.ones(4000, 4000).clone().realize()
    with pytest.raises(KeyboardInterrupt), InterruptSoon():
        while True:
            step = TinyJit(lambda x: (x @ x @ x @ x).sum())
            step(x)
    assert step.captured is None
    small = TinyJit(lambda x: x.sum())
    for _ in range(3):
        assert small(x[:2].contiguous().realize()).item() == 8000
    with pytest.raises(JitError):
        small(x)

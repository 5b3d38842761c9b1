"""Whether other threads of Python run during a call."""

import threading
import time


class Ticker:
    """A thread that notes when it runs, every millisecond within a `with` block."""

    def __init__(self):
        self.moments = []
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.tick)

    def tick(self):
        while not self.done.is_set():
            self.moments.append(time.monotonic())
            time.sleep(0.001)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    def runs_during(self, call):
        """Whether it runs several times within one call of `call`, which takes some 20 ms at least.

        A function that keeps Python's lock lets it run once before and once after. On a busy
        machine it may wait for a core during a whole call, but not during all of a minute.
        """
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            self.moments.clear()
            begin = time.monotonic()
            call()
            end = time.monotonic()
            if sum(begin < moment < end for moment in self.moments) > 5:
                return True
        return False

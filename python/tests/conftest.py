"""Settings of all tests."""

import signal
import sys

import pytest

from tinygrad_mlir import Tensor

# A shell that runs tests in the background lets them ignore interrupts, and the programs
# that they start, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Examples are the same in each run, and may take as long as other programs make them.
try:
    from hypothesis import HealthCheck, settings
except ImportError:
    pass  # which the tests that need it report
else:
    settings.register_profile(
        "same",
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("same")


@pytest.fixture(autouse=True)
def same_random_numbers():
    """No test passes or fails by the random numbers that it happens to get."""
    Tensor.manual_seed(1234)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(1234)

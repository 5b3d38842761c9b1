"""Settings of all tests."""

import signal

# A shell that runs tests in the background lets them ignore interrupts, and the programs
# that they start, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

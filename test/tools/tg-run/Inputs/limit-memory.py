"""Runs a program with a limit on its address space: MIB PROGRAM ARGUMENT..."""

import os
import resource
import sys

limit = int(sys.argv[1]) << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
os.execvp(sys.argv[2], sys.argv[2:])

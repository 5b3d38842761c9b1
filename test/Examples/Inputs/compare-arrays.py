"""Compares two .npy files: the largest difference is at most that given."""

import sys

import numpy as np

first, second, limit = np.load(sys.argv[1]), np.load(sys.argv[2]), float(sys.argv[3])
if first.shape != second.shape:
    sys.exit(f"shapes {first.shape} and {second.shape}")
difference = np.abs(first - second).max()
if not difference <= limit:
    sys.exit(f"they differ by {difference}")

"""Checks a log of metrics: the values of a metric fall from the first line to
the last one, and the last one is below a limit."""

import json
import sys

path, metric, limit = sys.argv[1], sys.argv[2], float(sys.argv[3])
with open(path) as file:
    values = [json.loads(line)[metric] for line in file]
if not values[-1] < min(values[0], limit):
    sys.exit(f"{path}: {metric} is {values}; less than {limit} is expected in the end")

"""Writes a small data set in the IDX format: images of class k have a bright
pixel at place k. The second argument names what is wrong with it."""

import os
import struct
import sys

folder, mistake = sys.argv[1], sys.argv[2]
os.makedirs(folder, exist_ok=True)


def write(name, shape, data):
    header = bytes([0, 0, 8, len(shape)]) + struct.pack(">%dI" % len(shape), *shape)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(header + data)


for kind, count in ("train", 30), ("t10k", 20):
    images, labels = bytearray(), bytearray()
    for i in range(count):
        image = bytearray([i % 3] * 16)
        image[i % 10] = 200
        images += image
        labels.append(i % 10)
    rows = 4
    if kind == "t10k":
        if mistake == "label":
            labels[3] = 10
        elif mistake == "count":
            labels.pop()
        elif mistake == "truncated":
            images = images[:-1]
        elif mistake == "rank":
            write(kind + "-images-idx3-ubyte", (count, 16), images)
            write(kind + "-labels-idx1-ubyte", (count,), labels)
            continue
        elif mistake == "size":
            rows = 2
    write(kind + "-images-idx3-ubyte", (count, rows, 16 // 4), images[: count * rows * 4])
    write(kind + "-labels-idx1-ubyte", (len(labels),), labels)
if mistake == "missing":
    os.remove(os.path.join(folder, "t10k-labels-idx1-ubyte"))

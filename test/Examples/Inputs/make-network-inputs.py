"""Writes what the test of the example resnet reads: images in several formats,
and variants of a file of weights.

The first argument is the folder; with a file as second one, its tensors are
written under other names, in another shape, and without some of them.
"""

import json
import struct
import sys

import numpy as np

folder = sys.argv[1]


def write_images():
    rng = np.random.default_rng(1)
    images = rng.integers(0, 256, (5, 32, 32, 3), dtype=np.uint8)
    labels = np.array([0, 1, 2, 3, 4])
    np.savez(f"{folder}/images.npz", images=images, labels=labels)
    np.savez(f"{folder}/high-labels.npz", images=images, labels=labels + 6)
    np.savez(f"{folder}/short-labels.npz", images=images, labels=labels[:4])
    np.savez(f"{folder}/no-images.npz", pictures=images)
    np.save(f"{folder}/bytes.npy", images)
    np.save(f"{folder}/image.npy", images[2])
    mean, deviation = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    floats = (images / 255 - mean) / deviation
    np.save(f"{folder}/floats.npy", floats.transpose(0, 3, 1, 2).astype(np.float32))
    np.save(f"{folder}/doubles.npy", floats.transpose(0, 3, 1, 2))
    np.save(f"{folder}/gray.npy", images[..., 0])
    with open(f"{folder}/names.txt", "w") as file:
        file.writelines(f"class number {i}\n" for i in range(10))


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return [
        (name, entry["dtype"], entry["shape"], data[8 + size + begin : 8 + size + end])
        for name, entry in header.items()
        for begin, end in [entry["data_offsets"]]
    ]


def write(path, tensors):
    header, parts, offset = {}, [], 0
    for name, dtype, shape, data in tensors:
        end = offset + len(data)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, end]}
        parts.append(data)
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))


def write_weights(tensors):
    write(
        f"{folder}/renamed.safetensors",
        [(name.replace("fc.", "head."), *rest) for name, *rest in tensors],
    )
    shapes = {"conv1.weight": [32, 6, 7, 7]}
    write(
        f"{folder}/reshaped.safetensors",
        [(name, dtype, shapes.get(name, shape), data) for name, dtype, shape, data in tensors],
    )
    # As old versions of PyTorch wrote it.
    write(
        f"{folder}/old.safetensors",
        [tensor for tensor in tensors if not tensor[0].endswith("num_batches_tracked")],
    )
    for name, dtype, shape, _ in sorted(tensors):
        print(name, dtype, shape)


if len(sys.argv) > 2:
    write_weights(read(sys.argv[2]))
else:
    write_images()

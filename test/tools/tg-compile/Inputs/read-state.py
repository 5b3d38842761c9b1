# Prints the tensors of a safetensors file, and the first element of each.
import json
import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
(size,) = struct.unpack("<Q", data[:8])
assert size % 8 == 0
header, elements = json.loads(data[8 : 8 + size]), data[8 + size :]
for name, tensor in header.items():
    begin, end = tensor["data_offsets"]
    assert end <= len(elements)
    (first,) = struct.unpack("<f", elements[begin : begin + 4])
    print(name, tensor["dtype"], tensor["shape"], first)

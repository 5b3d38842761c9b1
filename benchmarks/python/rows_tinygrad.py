"""The rows of tinygrad_mlir and of tinygrad, which the argument names: one program for both."""

import importlib
import sys
import time

begin = time.perf_counter()
package = importlib.import_module(sys.argv[1])
seconds = {"import": time.perf_counter() - begin}
Tensor, TinyJit, Variable, nn = package.Tensor, package.TinyJit, package.Variable, package.nn

begin = time.perf_counter()
first = (Tensor([1.0, 2.0, 3.0]) * 2 + 1).sum().item()
seconds["first"] = time.perf_counter() - begin
assert first == 15, first

import common  # noqa: E402

x = y = Tensor([1.0, 2.0, 3.0]).realize()
begin = time.perf_counter()
for _ in range(common.OPERATIONS // 2):
    y = (y + x) * x
seconds["built"] = (time.perf_counter() - begin) / common.OPERATIONS

z = Tensor.ones(16, 16).contiguous().realize()
seconds["small"], _ = common.median_time(lambda i: (z + 1).realize() is None, 20, 200)
checks = {}

values = common.network_weights()
conv1, norm1 = nn.Conv2d(1, 16, 3), nn.BatchNorm(16)
conv2, norm2, head = nn.Conv2d(16, 32, 3), nn.BatchNorm(32), nn.Linear(800, 10)
for name, layer in (("conv1", conv1), ("conv2", conv2), ("head", head)):
    layer.weight = Tensor(values[name])
    layer.bias = Tensor.zeros(layer.weight.shape[0]).contiguous()
images, labels = Tensor(values["images"]).realize(), Tensor(values["labels"]).realize()
parameters = nn.state.get_parameters([conv1, norm1, conv2, norm2, head])
optimizer = nn.optim.Adam(parameters, lr=1e-3)


@TinyJit
def train():
    optimizer.zero_grad()
    y = norm1(conv1(images)).relu().max_pool2d()
    y = norm2(conv2(y)).relu().max_pool2d()
    loss = head(y.flatten(1)).sparse_categorical_crossentropy(labels)
    loss.backward()
    return loss.realize(*optimizer.schedule_step())


with package.Context(TRAINING=1):
    seconds["training"], checks["training"] = common.median_time(lambda i: train().item(), 6, 20)

embedding, layers = common.transformer_weights()
embedding = Tensor(embedding).realize()
layers = [{name: Tensor(value).realize() for name, value in layer.items()} for layer in layers]
heads, size = common.HEADS, common.WIDTH // common.HEADS
caches = [
    [Tensor.zeros(heads, common.CONTEXT, size).contiguous().realize() for _ in range(2)]
    for _ in layers
]
position = Variable("position", 0, common.CONTEXT - 1)


def normalize(x):
    return x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt()


@TinyJit
def decode(token, at):
    x = embedding[token]
    for layer, cache in zip(layers, caches):
        y = normalize(x)
        q, k, v = ((y @ layer[name]).reshape(1, heads, size).transpose(0, 1) for name in "qkv")
        for part, new in zip(cache, (k, v)):
            part[:, at : at + 1].assign(new)
        k, v = (part[:, : at + 1] for part in cache)
        weights = (q @ k.transpose(1, 2) * size**-0.5).softmax(-1)
        x = x + (weights @ v).reshape(1, -1) @ layer["o"]
        x = x + (normalize(x) @ layer["up"]).relu() @ layer["down"]
    return (normalize(x) @ embedding.T).max().realize()


def next_token(i):
    return decode(Tensor([i]).realize(), position.bind(i)).item()


seconds["decoding"], checks["decoding"] = common.median_time(next_token, 10, 50)
common.report(seconds, checks)

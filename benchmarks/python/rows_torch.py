"""The rows of PyTorch, as most programs use it: without torch.compile."""

import time

begin = time.perf_counter()
import torch  # noqa: E402

seconds = {"import": time.perf_counter() - begin}

begin = time.perf_counter()
first = (torch.tensor([1.0, 2.0, 3.0]) * 2 + 1).sum().item()
seconds["first"] = time.perf_counter() - begin
assert first == 15, first

import common  # noqa: E402
from torch.nn import functional  # noqa: E402

# Operations run at once, so that these are built and run.
x = y = torch.tensor([1.0, 2.0, 3.0])
begin = time.perf_counter()
for _ in range(common.OPERATIONS // 2):
    y = (y + x) * x
seconds["built"] = (time.perf_counter() - begin) / common.OPERATIONS

z = torch.ones(16, 16)
seconds["small"], _ = common.median_time(lambda i: z + 1, 20, 200)
checks = {}

values = {name: torch.from_numpy(value) for name, value in common.network_weights().items()}
model = torch.nn.Sequential(
    torch.nn.Conv2d(1, 16, 3),
    torch.nn.BatchNorm2d(16),
    torch.nn.ReLU(),
    torch.nn.MaxPool2d(2),
    torch.nn.Conv2d(16, 32, 3),
    torch.nn.BatchNorm2d(32),
    torch.nn.ReLU(),
    torch.nn.MaxPool2d(2),
    torch.nn.Flatten(),
    torch.nn.Linear(800, 10),
)
for name, i in (("conv1", 0), ("conv2", 4), ("head", 9)):
    model[i].weight.data = values[name].clone()
    model[i].bias.data.zero_()
images, labels = values["images"], values["labels"].long()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def train(i):
    optimizer.zero_grad()
    loss = functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss.item()


seconds["training"], checks["training"] = common.median_time(train, 6, 20)

embedding, layers = common.transformer_weights()
embedding = torch.from_numpy(embedding)
layers = [{name: torch.from_numpy(value) for name, value in layer.items()} for layer in layers]
heads, size = common.HEADS, common.WIDTH // common.HEADS
caches = [[torch.zeros(heads, common.CONTEXT, size) for _ in range(2)] for _ in layers]


def normalize(x):
    return x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt()


@torch.inference_mode()
def decode(i):
    x = embedding[torch.tensor([i])]
    for layer, cache in zip(layers, caches):
        y = normalize(x)
        q, k, v = ((y @ layer[name]).reshape(1, heads, size).transpose(0, 1) for name in "qkv")
        for part, new in zip(cache, (k, v)):
            part[:, i : i + 1] = new
        k, v = (part[:, : i + 1] for part in cache)
        weights = (q @ k.transpose(1, 2) * size**-0.5).softmax(-1)
        x = x + (weights @ v).reshape(1, -1) @ layer["o"]
        x = x + (normalize(x) @ layer["up"]).relu() @ layer["down"]
    return (normalize(x) @ embedding.T).max().item()


seconds["decoding"], checks["decoding"] = common.median_time(decode, 10, 50)
common.report(seconds, checks)

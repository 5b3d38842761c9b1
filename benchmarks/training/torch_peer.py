#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The training steps of Models.cpp in PyTorch: eager, or with torch.compile.

    torch_peer.py ROW eager|compiled        see rows.py
"""

import os
import sys

import torch
from torch import nn
import torch.nn.functional as F

import rows


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 32, 3)
        self.second = nn.Conv2d(32, 64, 3)
        self.hidden = nn.Linear(64 * 5 * 5, 128)
        self.output = nn.Linear(128, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.first(x)), 2)
        x = F.max_pool2d(F.relu(self.second(x)), 2)
        return self.output(F.relu(self.hidden(x.flatten(1))))


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(784, 1024)
        self.second = nn.Linear(1024, 1024)
        self.output = nn.Linear(1024, 10)

    def forward(self, x):
        return self.output(F.relu(self.second(F.relu(self.first(x)))))


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = nn.Sequential()
        if stride != 1:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.downsample(x))


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.blocks = nn.Sequential(*(BasicBlock(*block) for block in rows.BLOCKS))
        self.fc = nn.Linear(512, 1000)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        return self.fc(self.blocks(x).mean((2, 3)))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.empty(3 * rows.SIZE, rows.SIZE))
        self.in_proj_bias = nn.Parameter(torch.empty(3 * rows.SIZE))
        self.out_proj = nn.Linear(rows.SIZE, rows.SIZE)

    def forward(self, x):
        parts = F.linear(x, self.in_proj_weight, self.in_proj_bias).split(rows.SIZE, -1)
        q, k, v = (part.unflatten(-1, (rows.HEADS, -1)).transpose(1, 2) for part in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out_proj(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1 = nn.LayerNorm(rows.SIZE)
        self.attention = Attention()
        self.ln2 = nn.LayerNorm(rows.SIZE)
        self.up = nn.Linear(rows.SIZE, 4 * rows.SIZE)
        self.down = nn.Linear(4 * rows.SIZE, rows.SIZE)

    def forward(self, x):
        x = x + self.attention(self.ln1(x))
        return x + self.down(F.gelu(self.up(self.ln2(x)), approximate="tanh"))


class GPT2(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(rows.VOCABULARY, rows.SIZE)
        self.positions = nn.Embedding(1024, rows.SIZE)
        self.blocks = nn.Sequential(*(Block() for _ in range(rows.LAYERS)))
        self.norm = nn.LayerNorm(rows.SIZE)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        return F.linear(self.norm(self.blocks(x)), self.tokens.weight).flatten(0, 1)


class LSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(rows.INPUTS, rows.HIDDEN)
        self.output = nn.Linear(rows.HIDDEN, 10)

    def forward(self, x):
        return self.output(self.cell(x)[0][-1])


MODELS = {"cnn": CNN, "mlp": MLP, "resnet18": ResNet18, "gpt2": GPT2, "lstm": LSTM}


def make_step(row):
    torch.set_num_threads(int(os.environ["THREADS"]))
    spec = rows.ROWS[row]
    # Without memory until the initial values are there.
    with torch.device("meta"):
        model = MODELS[row]()
    model.to_empty(device="cpu")
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.reset_running_stats()
    values = model.parameters()
    pending = iter(values)

    def load(value):
        parameter = next(pending)
        assert tuple(parameter.shape) == value.shape, (parameter.shape, value.shape)
        with torch.no_grad():
            parameter.copy_(torch.from_numpy(value))

    _, (x, y) = rows.initial(row, load)
    assert next(pending, None) is None
    x, y = torch.from_numpy(x), torch.from_numpy(y).long().flatten()
    if x.dtype == torch.int32:
        x = x.long()
    parameters = list(model.parameters())
    # The fused kernels are the fastest on the CPU.
    if spec.optimizer == "momentum":
        optimizer = torch.optim.SGD(parameters, spec.rate, rows.MOMENTUM, fused=True)
    elif spec.optimizer == "adam":
        optimizer = torch.optim.Adam(parameters, spec.rate, fused=True)
    else:
        optimizer = torch.optim.AdamW(parameters, spec.rate, weight_decay=spec.decay, fused=True)

    def loss_of(x, y):
        return F.cross_entropy(model(x), y)

    if sys.argv[2] == "compiled":
        loss_of = torch.compile(loss_of)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(x, y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


if __name__ == "__main__":
    rows.serve(make_step)

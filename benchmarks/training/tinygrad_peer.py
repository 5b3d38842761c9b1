#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The training steps of Models.cpp in the Python package tinygrad, under
TinyJit.

    tinygrad_peer.py ROW        see rows.py
"""

import sys

import tinygrad
from tinygrad import Context, Device, Tensor, TinyJit
from tinygrad.nn.optim import SGD, Adam, AdamW

import rows


def linear(p, name, x):
    return x.linear(p[name + ".weight"].T, p[name + ".bias"])


def cnn(p, norms, x):
    x = x.conv2d(p["first.weight"], p["first.bias"]).relu().max_pool2d()
    x = x.conv2d(p["second.weight"], p["second.bias"]).relu().max_pool2d()
    return linear(p, "output", linear(p, "hidden", x.flatten(1)).relu())


def mlp(p, norms, x):
    return linear(p, "output", linear(p, "second", linear(p, "first", x).relu()).relu())


def resnet18(p, norms, x):
    def batch_norm(name, x):
        norm = norms[name]
        norm.weight, norm.bias = p[name + ".weight"], p[name + ".bias"]
        return norm(x)

    def conv(name, x, stride, padding):
        return x.conv2d(p[name + ".weight"], stride=stride, padding=padding)

    x = batch_norm("bn1", conv("conv1", x, 2, 3)).relu().max_pool2d(3, 2, padding=1)
    for i, (_, _, stride) in enumerate(rows.BLOCKS):
        name = f"blocks.{i}."
        y = batch_norm(name + "bn1", conv(name + "conv1", x, stride, 1)).relu()
        y = batch_norm(name + "bn2", conv(name + "conv2", y, 1, 1))
        if stride != 1:
            x = batch_norm(name + "downsample.1", conv(name + "downsample.0", x, stride, 0))
        x = (x + y).relu()
    return linear(p, "fc", x.mean((2, 3)))


def layer_norm(p, name, x):
    return x.layernorm() * p[name + ".weight"] + p[name + ".bias"]


def gpt2(p, norms, ids):
    x = p["tokens.weight"][ids] + p["positions.weight"][: ids.shape[1]]
    for i in range(rows.LAYERS):
        name = f"blocks.{i}."
        y = layer_norm(p, name + "ln1", x)
        y = y.linear(p[name + "attention.in_proj_weight"].T, p[name + "attention.in_proj_bias"])
        q, k, v = (part.unflatten(-1, (rows.HEADS, -1)).transpose(1, 2)
                   for part in y.split(rows.SIZE, -1))
        y = q.scaled_dot_product_attention(k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = x + linear(p, name + "attention.out_proj", y)
        x = x + linear(p, name + "down", linear(p, name + "up", layer_norm(p, name + "ln2", x)).gelu())
    return layer_norm(p, "norm", x).matmul(p["tokens.weight"].T).flatten(0, 1)


def lstm(p, norms, x):
    of_input = (x.matmul(p["cell.weight_ih"].T) + p["cell.bias_ih"] + p["cell.bias_hh"]).contiguous()
    hidden = cell = Tensor.zeros(rows.BATCH, rows.HIDDEN)
    for step in range(rows.STEPS):
        gates = of_input[step] + hidden.matmul(p["cell.weight_hh"].T)
        i, f, g, o = gates.chunk(4, 1)
        cell = (f.sigmoid() * cell + i.sigmoid() * g.tanh()).contiguous()
        hidden = (o.sigmoid() * cell.tanh()).contiguous()
    return linear(p, "output", hidden)


MODELS = {"cnn": cnn, "mlp": mlp, "resnet18": resnet18, "gpt2": gpt2, "lstm": lstm}


def make_step(row):
    spec = rows.ROWS[row]
    values, (x, y) = rows.initial(row, lambda value: Tensor(value).clone().realize())
    parameters = dict(zip((name for name, _ in spec.parameters), values))
    norms = {}
    if row == "resnet18":
        for name, shape in spec.parameters:
            if len(shape) == 1 and name.endswith(".weight"):
                norms[name[:-7]] = tinygrad.nn.BatchNorm(shape[0])
    x, y = Tensor(x).clone().realize(), Tensor(y.reshape(-1)).clone().realize()
    if spec.optimizer == "momentum":
        optimizer = SGD(values, spec.rate, rows.MOMENTUM)
    elif spec.optimizer == "adam":
        optimizer = Adam(values, spec.rate)
    else:
        optimizer = AdamW(values, spec.rate, weight_decay=spec.decay)
    model = MODELS[row]

    @TinyJit
    def compute(x, y):
        optimizer.zero_grad()
        loss = model(parameters, norms, x).sparse_categorical_crossentropy(y)
        loss.backward()
        return loss.realize(*optimizer.schedule_step())

    def step():
        with Context(TRAINING=1):
            loss = compute(x, y).item()
        Device[Device.DEFAULT].synchronize()
        return loss

    return step


if __name__ == "__main__":
    sys.setrecursionlimit(1000000)
    rows.serve(make_step)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The training steps of Models.cpp in JAX: the whole step is one jit, which
updates its state in place (donated).

    jax_peer.py ROW        see rows.py
"""

import sys

import jax
import jax.numpy as jnp
from jax import lax
import numpy as np

import rows


def linear(p, name, x):
    return x @ p[name + ".weight"].T + p[name + ".bias"]


def conv(x, weight, stride=1, padding=0):
    return lax.conv_general_dilated(x, weight, (stride, stride), [(padding, padding)] * 2,
                                    dimension_numbers=("NCHW", "OIHW", "NCHW"))


def max_pool(x, size, stride, padding=0):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, size, size), (1, 1, stride, stride),
                             [(0, 0), (0, 0), (padding, padding), (padding, padding)])


def channels(value):
    return value[None, :, None, None]


def cnn(p, state, x):
    x = max_pool(jax.nn.relu(conv(x, p["first.weight"]) + channels(p["first.bias"])), 2, 2)
    x = max_pool(jax.nn.relu(conv(x, p["second.weight"]) + channels(p["second.bias"])), 2, 2)
    x = jax.nn.relu(linear(p, "hidden", x.reshape(x.shape[0], -1)))
    return linear(p, "output", x), state


def mlp(p, state, x):
    x = jax.nn.relu(linear(p, "first", x))
    return linear(p, "output", jax.nn.relu(linear(p, "second", x))), state


def resnet18(p, state, x):
    new = {}

    def batch_norm(name, x):
        mean = x.mean((0, 2, 3))
        variance = jnp.square(x - channels(mean)).mean((0, 2, 3))
        count = x.size // x.shape[1]
        running, spread = state[name]
        new[name] = (0.9 * running + 0.1 * mean, 0.9 * spread + 0.1 * variance * count / (count - 1))
        scale = p[name + ".weight"] * lax.rsqrt(variance + 1e-5)
        return (x - channels(mean)) * channels(scale) + channels(p[name + ".bias"])

    x = jax.nn.relu(batch_norm("bn1", conv(x, p["conv1.weight"], 2, 3)))
    x = max_pool(x, 3, 2, 1)
    for i, (_, _, stride) in enumerate(rows.BLOCKS):
        name = f"blocks.{i}."
        y = jax.nn.relu(batch_norm(name + "bn1", conv(x, p[name + "conv1.weight"], stride, 1)))
        y = batch_norm(name + "bn2", conv(y, p[name + "conv2.weight"], 1, 1))
        if stride != 1:
            x = batch_norm(name + "downsample.1", conv(x, p[name + "downsample.0.weight"], stride))
        x = jax.nn.relu(x + y)
    return linear(p, "fc", x.mean((2, 3))), new


def layer_norm(p, name, x):
    x = x - x.mean(-1, keepdims=True)
    x = x * lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-5)
    return x * p[name + ".weight"] + p[name + ".bias"]


def gpt2(p, state, ids):
    length = ids.shape[1]
    x = p["tokens.weight"][ids] + p["positions.weight"][:length]
    for i in range(rows.LAYERS):
        name = f"blocks.{i}."
        y = layer_norm(p, name + "ln1", x)
        y = y @ p[name + "attention.in_proj_weight"].T + p[name + "attention.in_proj_bias"]
        q, k, v = (part.reshape(*part.shape[:2], rows.HEADS, -1) for part in jnp.split(y, 3, -1))
        y = jax.nn.dot_product_attention(q, k, v, is_causal=True)
        x = x + linear(p, name + "attention.out_proj", y.reshape(x.shape))
        y = jax.nn.gelu(linear(p, name + "up", layer_norm(p, name + "ln2", x)), approximate=True)
        x = x + linear(p, name + "down", y)
    logits = layer_norm(p, "norm", x) @ p["tokens.weight"].T
    return logits.reshape(-1, rows.VOCABULARY), state


def lstm(p, state, x):
    of_input = x @ p["cell.weight_ih"].T + p["cell.bias_ih"] + p["cell.bias_hh"]

    def step(carry, of_input):
        hidden, cell = carry
        i, f, g, o = jnp.split(of_input + hidden @ p["cell.weight_hh"].T, 4, 1)
        cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(cell), cell), None

    zeros = jnp.zeros((x.shape[1], rows.HIDDEN))
    (hidden, _), _ = lax.scan(step, (zeros, zeros), of_input)
    return linear(p, "output", hidden), state


MODELS = {"cnn": cnn, "mlp": mlp, "resnet18": resnet18, "gpt2": gpt2, "lstm": lstm}


def update(spec, parameters, gradients, moments, count):
    """The new parameters and moments."""
    if spec.optimizer == "momentum":
        moments = jax.tree.map(lambda m, g: rows.MOMENTUM * m + g, moments, gradients)
        return jax.tree.map(lambda p, m: p - spec.rate * m, parameters, moments), moments
    first = jax.tree.map(lambda m, g: rows.BETA1 * m + (1 - rows.BETA1) * g, moments[0], gradients)
    second = jax.tree.map(lambda v, g: rows.BETA2 * v + (1 - rows.BETA2) * g * g,
                          moments[1], gradients)
    of_first, of_second = 1 - rows.BETA1**count, 1 - rows.BETA2**count

    def new(p, m, v):
        p = p * (1 - spec.rate * spec.decay)
        return p - spec.rate * (m / of_first) / (jnp.sqrt(v / of_second) + rows.EPSILON)

    return jax.tree.map(new, parameters, first, second), (first, second)


def make_step(row):
    spec = rows.ROWS[row]
    values, (x, y) = rows.initial(row, jnp.array)
    parameters = dict(zip((name for name, _ in spec.parameters), values))
    del values
    x, y = jnp.array(x), jnp.array(y.reshape(-1))
    zeros = lambda: jax.tree.map(jnp.zeros_like, parameters)
    moments = zeros() if spec.optimizer == "momentum" else (zeros(), zeros())
    norms = {}
    if row == "resnet18":
        for name, shape in spec.parameters:
            if len(shape) == 1 and name.endswith(".weight"):
                norms[name[:-7]] = (jnp.zeros(shape), jnp.ones(shape))
    model = MODELS[row]

    def compute(parameters, moments, norms, count, x, y):
        def loss_of(parameters):
            logits, new = model(parameters, norms, x)
            chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1)
            return -chosen.mean(), new

        (loss, norms), gradients = jax.value_and_grad(loss_of, has_aux=True)(parameters)
        count = count + 1
        parameters, moments = update(spec, parameters, gradients, moments, count)
        return parameters, moments, norms, count, loss

    compiled = jax.jit(compute, donate_argnums=(0, 1, 2, 3))
    state = [parameters, moments, norms, jnp.zeros((), jnp.float32)]
    jax.block_until_ready(state)
    # Or the caller's references would keep the first buffers.
    del parameters, moments, norms

    def step():
        *state[:], loss = compiled(*state, x, y)
        jax.block_until_ready(state)
        return float(loss)

    return step


if __name__ == "__main__":
    rows.serve(make_step)

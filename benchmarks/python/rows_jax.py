"""The rows of JAX; steps are functions of jax.jit."""

import time

begin = time.perf_counter()
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

seconds = {"import": time.perf_counter() - begin}

begin = time.perf_counter()
first = (jnp.array([1.0, 2.0, 3.0]) * 2 + 1).sum().item()
seconds["first"] = time.perf_counter() - begin
assert first == 15, first

import common  # noqa: E402

# Operations run at once, so that these are built and run.
x = y = jnp.array([1.0, 2.0, 3.0])
y = (y + x) * x
begin = time.perf_counter()
for _ in range(common.OPERATIONS // 2):
    y = (y + x) * x
y.block_until_ready()
seconds["built"] = (time.perf_counter() - begin) / common.OPERATIONS

z = jnp.ones((16, 16))
seconds["small"], _ = common.median_time(lambda i: (z + 1).block_until_ready() is None, 20, 200)
checks = {}

values = {name: jnp.asarray(value) for name, value in common.network_weights().items()}
images, labels = values.pop("images"), values.pop("labels")
state = dict(values)
for name, channels in (("conv1", 16), ("conv2", 32), ("head", 10)):
    state[f"{name}.bias"] = jnp.zeros(channels)
for name, channels in (("norm1", 16), ("norm2", 32)):
    state[name], state[f"{name}.bias"] = jnp.ones(channels), jnp.zeros(channels)
running = {name: (jnp.zeros(c), jnp.ones(c)) for name, c in (("norm1", 16), ("norm2", 32))}


def network(state, running, images):
    x, updated = images, {}
    for conv, norm in (("conv1", "norm1"), ("conv2", "norm2")):
        x = jax.lax.conv_general_dilated(x, state[conv], (1, 1), "VALID")
        x = x + state[f"{conv}.bias"][:, None, None]
        mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3))
        count = x.size // x.shape[1]
        old = running[norm]
        updated[norm] = (
            0.9 * old[0] + 0.1 * mean,
            0.9 * old[1] + 0.1 * variance * count / (count - 1),
        )
        scale = state[norm] * jax.lax.rsqrt(variance + 1e-5)
        x = (x - mean[:, None, None]) * scale[:, None, None] + state[f"{norm}.bias"][:, None, None]
        window = (1, 1, 2, 2)
        x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, window, window, "VALID")
    return x.reshape(len(x), -1) @ state["head"].T + state["head.bias"], updated


def loss_of(state, running):
    scores, updated = network(state, running, images)
    picked = jnp.take_along_axis(jax.nn.log_softmax(scores), labels[:, None], axis=1)
    return -picked.mean(), updated


@jax.jit
def train(state, running, m, v, step):
    (loss, running), gradients = jax.value_and_grad(loss_of, has_aux=True)(state, running)
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradients)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradients)

    def update(w, m, v):
        m, v = m / (1 - 0.9**step), v / (1 - 0.999**step)
        return w - 1e-3 * m / (jnp.sqrt(v) + 1e-8)

    return loss, jax.tree.map(update, state, m, v), running, m, v


zeros = jax.tree.map(jnp.zeros_like, state)
everything = [state, running, zeros, zeros]


def train_step(i):
    loss, *everything[:] = train(*everything, jnp.float32(i + 1))
    return loss.item()


seconds["training"], checks["training"] = common.median_time(train_step, 6, 20)

embedding, layers = jax.tree.map(jnp.asarray, common.transformer_weights())
heads, size = common.HEADS, common.WIDTH // common.HEADS
empty = jnp.zeros((heads, common.CONTEXT, size))


def normalize(x):
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def decode(embedding, layers, caches, token, at):
    x, updated = embedding[token], []
    seen = jnp.arange(common.CONTEXT) <= at
    for layer, cache in zip(layers, caches):
        y = normalize(x)
        q, k, v = ((y @ layer[name]).reshape(1, heads, size).swapaxes(0, 1) for name in "qkv")
        k, v = (
            jax.lax.dynamic_update_slice(part, new, (0, at, 0)) for part, new in zip(cache, (k, v))
        )
        updated.append((k, v))
        scores = jnp.where(seen, q @ k.swapaxes(1, 2) * size**-0.5, -jnp.inf)
        x = x + (jax.nn.softmax(scores) @ v).reshape(1, -1) @ layer["o"]
        x = x + jax.nn.relu(normalize(x) @ layer["up"]) @ layer["down"]
    return (normalize(x) @ embedding.T).max(), updated


decode = jax.jit(decode, donate_argnums=2)
caches = [[(empty + 0, empty + 0) for _ in layers]]


def next_token(i):
    result, caches[0] = decode(embedding, layers, caches[0], jnp.array([i]), i)
    return result.item()


seconds["decoding"], checks["decoding"] = common.median_time(next_token, 10, 50)
common.report(seconds, checks)

"""Trains a small convolutional network on Fashion-MNIST and reports its accuracy.

Runs on the files of Debian's package dataset-fashion-mnist (see nn.datasets.mnist for others):

    STEPS=500 BATCH=128 python3 python/examples/mnist.py
"""

from tinygrad_mlir import Tensor, TinyJit, getenv, nn
from tinygrad_mlir.helpers import Timing, trange

STEPS, BATCH = getenv("STEPS", 500), getenv("BATCH", 128)


class Network:
    """Images of (N, 1, 28, 28), from 0 to 1, to scores of ten classes."""

    def __init__(self) -> None:
        self.conv1, self.norm1 = nn.Conv2d(1, 16, 3), nn.BatchNorm(16)
        self.conv2, self.norm2 = nn.Conv2d(16, 32, 3), nn.BatchNorm(32)
        self.head = nn.Linear(32 * 5 * 5, 10)

    def __call__(self, x: Tensor) -> Tensor:
        x = self.norm1(self.conv1(x)).relu().max_pool2d()
        x = self.norm2(self.conv2(x)).relu().max_pool2d()
        return self.head(x.flatten(1).dropout(0.2))


def main() -> float:
    images, labels, test_images, test_labels = nn.datasets.mnist(fashion=True)
    Tensor.manual_seed(7)
    network = Network()
    optimizer = nn.optim.Adam(nn.state.get_parameters(network), lr=0.002)

    @TinyJit
    def train_step() -> Tensor:
        """One batch, picked by random numbers that are new in each replay."""
        picked = Tensor.randint(BATCH, high=images.shape[0])
        optimizer.zero_grad()
        scores = network(images[picked].float() / 255)
        loss = scores.sparse_categorical_crossentropy(labels[picked]).backward()
        optimizer.step()
        return loss

    @TinyJit
    def count_right(x: Tensor, y: Tensor) -> Tensor:
        return (network(x.float() / 255).argmax(axis=1) == y).sum()

    Tensor.training = True
    with Timing("trained in "):
        for step in (bar := trange(STEPS, disable=None)):
            if step == STEPS * 3 // 4:
                optimizer.lr.assign(optimizer.lr * 0.1)  # replays see it
            loss = train_step()
            if step % 50 == 49:
                bar.set_description(f"loss {loss.item():.3f}")
    Tensor.training = False

    right, size = 0, 1000
    for begin in range(0, test_images.shape[0], size):
        part = slice(begin, begin + size)
        right += count_right(test_images[part], test_labels[part]).item()
    accuracy = right / test_images.shape[0]
    print(f"accuracy on the test images: {100 * accuracy:.2f} %")
    return accuracy


if __name__ == "__main__":
    main()

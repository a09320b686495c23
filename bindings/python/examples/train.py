"""Trains a small network to tell wins from draws and losses, and says how often it is right.

    python3 train.py [--db FOLDER] [--pair 6-3] [-n 60000] [--epochs 12]

Needs NumPy only. The truth is that of the databases; the network sees the stones of the side to move
and of the other, and learns from half of the positions what the other half is asked about.
"""

import argparse

import numpy as np

import millbase

parser = argparse.ArgumentParser()
parser.add_argument("--db")
parser.add_argument("--pair", default="6-3")
parser.add_argument("-n", type=int, default=60_000)
parser.add_argument("--epochs", type=int, default=12)
options = parser.parse_args()

# %% Positions and their values
database = millbase.open(options.db)
sample = database.sample(options.pair, options.n, seed=1)


def points(bits):
    return (bits[:, None] >> np.arange(24, dtype=np.uint32) & 1).astype(np.float32)


mover = np.where(sample.to_move == 0, sample.white, sample.black)
waiting = np.where(sample.to_move == 0, sample.black, sample.white)
inputs = np.hstack([points(mover), points(waiting)])
classes = sample.wdl + 1  # 0 loss, 1 draw, 2 win
half = len(inputs) // 2
share = np.bincount(classes, minlength=3) / len(classes)
print(f"{len(inputs)} positions of {options.pair}: {share[2]:.1%} wins, {share[1]:.1%} draws, {share[0]:.1%} losses")

# %% A network with one hidden layer
random = np.random.default_rng(1)
hidden = 128
layers = [
    random.normal(0, 48**-0.5, (48, hidden)).astype(np.float32),
    np.zeros(hidden, np.float32),
    random.normal(0, hidden**-0.5, (hidden, 3)).astype(np.float32),
    np.zeros(3, np.float32),
]
speeds = [np.zeros_like(layer) for layer in layers]


def forward(x):
    inner = np.maximum(x @ layers[0] + layers[1], 0)
    scores = inner @ layers[2] + layers[3]
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return inner, odds / odds.sum(axis=1, keepdims=True)


def right(x, truth):
    return (forward(x)[1].argmax(axis=1) == truth).mean()


# %% Training by gradient descent with momentum
for epoch in range(options.epochs):
    for batch in np.array_split(random.permutation(half), max(1, half // 128)):
        x, truth = inputs[batch], classes[batch]
        inner, odds = forward(x)
        odds[np.arange(len(batch)), truth] -= 1
        error = odds / len(batch)
        back = error @ layers[2].T * (inner > 0)
        gradients = [x.T @ back, back.sum(axis=0), inner.T @ error, error.sum(axis=0)]
        for layer, speed, gradient in zip(layers, speeds, gradients):
            speed *= 0.9
            speed -= 0.1 * gradient
            layer += speed

# %% How well it does on positions that it has not seen
unseen = right(inputs[half:], classes[half:])
print(f"always the commonest: {share.max():.1%} right; the network: {unseen:.1%} right of unseen positions")

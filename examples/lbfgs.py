"""L-BFGS, a quasi-Newton method, fitting a logistic regression to the breast cancer data of scikit-learn.

`minimize` is a NumPy program. It runs as it is on arrays; `tf.function(minimize)` makes it one graph, in which the
loop over the steps ends early when the gradient is small, and the line search leaves its loop at the first step
length that is good enough.

    python examples/lbfgs.py
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer

import autograph as tf

MEMORY = 6
PENALTY = 1e-3


def loss_and_gradient(weights, features, labels):
    """The logistic loss with an L2 penalty, and its gradient; labels are -1 or 1."""
    margins = labels * (features @ weights)
    loss = np.mean(np.logaddexp(0.0, -margins)) + 0.5 * PENALTY * np.sum(weights * weights)
    slopes = -labels / (1.0 + np.exp(margins))
    return loss, slopes @ features / labels.shape[0] + PENALTY * weights


def direction(gradient, moves, changes, count):
    """The two-loop recursion of Nocedal and Wright, Numerical Optimization, algorithm 7.4.

    `moves` and `changes` (MEMORY, features) are rings that hold the last steps and the changes of the gradient.
    """
    used = np.minimum(count, MEMORY)
    shares = np.zeros(MEMORY) * gradient[0]
    result = gradient
    for back in range(used):
        row = (count - 1 - back) % MEMORY
        shares[row] = np.sum(moves[row] * result) / np.sum(moves[row] * changes[row])
        result = result - shares[row] * changes[row]
    if count > 0:
        newest = (count - 1) % MEMORY
        result = result * np.sum(moves[newest] * changes[newest]) / np.sum(changes[newest] * changes[newest])
    for forth in range(used):
        row = (count - used + forth) % MEMORY
        share = np.sum(changes[row] * result) / np.sum(moves[row] * changes[row])
        result = result + (shares[row] - share) * moves[row]
    return -result


def minimize(start, features, labels, tolerance, limit):
    """The weights (features,) that minimise the loss, the loss there, and the number of steps taken."""
    weights = start
    loss, gradient = loss_and_gradient(weights, features, labels)
    moves = np.zeros((MEMORY, 1)) * start
    changes = np.zeros((MEMORY, 1)) * start
    count = 0
    while count < limit:
        if np.max(np.abs(gradient)) < tolerance:
            return weights, loss, count
        towards = direction(gradient, moves, changes, count)
        slope = np.sum(gradient * towards)
        length = 1.0
        while True:
            new_weights = weights + length * towards
            new_loss, new_gradient = loss_and_gradient(new_weights, features, labels)
            if new_loss <= loss + 1e-4 * length * slope or length < 1e-10:
                break
            length = 0.5 * length
        moves[count % MEMORY] = new_weights - weights
        changes[count % MEMORY] = new_gradient - gradient
        weights, loss, gradient = new_weights, new_loss, new_gradient
        count += 1
    return weights, loss, count


def load() -> tuple[np.ndarray, np.ndarray]:
    """Standardised features with a constant one appended, float64 (569, 31), and labels -1.0 or 1.0."""
    data = load_breast_cancer()
    features = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    return np.column_stack([features, np.ones(len(features))]), 2.0 * data.target - 1.0


def main() -> tuple[np.ndarray, float, int]:
    """Fits the regression in a graph and prints the outcome; returns weights, loss and steps."""
    features, labels = load()
    start = np.zeros(features.shape[1])
    weights, loss, steps = tf.function(minimize)(start, features, labels, 1e-6, 500)
    right = np.mean(np.sign(features @ weights.numpy()) == labels)
    print(f"loss {float(loss):.8f} after {int(steps)} steps; {right:.1%} of {len(labels)} tumours told rightly")
    return weights.numpy(), float(loss), int(steps)


if __name__ == "__main__":
    main()

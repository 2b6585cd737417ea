"""A recurrent network over texts of different lengths.

The lines of the Zen of Python are padded to one length; the network reads letter by letter, and the state of a line
that has ended stays as it is. The loop runs as long as the longest line of the batch, which only the data tell. The
weights are drawn once and not trained (an echo state network); even so, lines that end alike get similar states.

    python examples/dynamic_rnn.py
"""

from __future__ import annotations

import codecs
import contextlib
import io

import numpy as np

import autograph as tf

UNITS = 64
LETTERS = 128


def read_lines() -> list[str]:
    """The lines of the Zen of Python, which every Python brings along."""
    with contextlib.redirect_stdout(io.StringIO()):
        import this
    return [line for line in codecs.decode(this.s, "rot13").splitlines()[2:] if line]


def one_hot(lines: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The lines as float32 (lines, longest, LETTERS), padded with zeros, and their lengths, int32 (lines,)."""
    lengths = np.array([len(line) for line in lines], dtype=np.int32)
    codes = np.zeros((len(lines), lengths.max(), LETTERS), dtype=np.float32)
    for row, line in enumerate(lines):
        codes[row, np.arange(len(line)), [ord(letter) for letter in line]] = 1.0
    return codes, lengths


class Cell:
    """One step of the network: a layer of tanh units."""

    def __init__(self, units: int, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.input_weights = random.normal(0.0, 1.0, (LETTERS, units)).astype(np.float32)
        recurrent = random.normal(0.0, 1.0, (units, units))
        self.recurrent_weights = (0.9 * recurrent / np.abs(np.linalg.eigvals(recurrent)).max()).astype(np.float32)

    def __call__(self, inputs, state):
        return tf.tanh(inputs @ self.input_weights + state @ self.recurrent_weights)


@tf.function
def dynamic_rnn(cell, inputs, lengths, state):
    """Runs `cell` over `inputs` (batch, time, features), each row for its own length only.

    Returns the outputs (batch, longest, units), zero after a row's end, and the last states (batch, units).
    """
    outputs = []
    for time in tf.range(tf.reduce_max(lengths)):
        new_state = cell(inputs[:, time], state)
        running = (time < lengths)[:, None]
        state = tf.where(running, new_state, state)
        outputs.append(tf.where(running, new_state, tf.zeros_like(new_state)))
    return tf.transpose(tf.stack(outputs), (1, 0, 2)), state


def main() -> tuple[np.ndarray, np.ndarray]:
    """Reads the lines, prints which two end in the most similar states, returns outputs and last states."""
    lines = read_lines()
    inputs, lengths = one_hot(lines)
    outputs, states = dynamic_rnn(Cell(UNITS), inputs, lengths, np.zeros((len(lines), UNITS), np.float32))
    print(f"{len(lines)} lines of {lengths.min()} to {lengths.max()} letters: outputs {outputs.numpy().shape}")
    unit = states.numpy() / np.linalg.norm(states.numpy(), axis=1, keepdims=True)
    similarity = unit @ unit.T - 2.0 * np.eye(len(lines), dtype=np.float32)
    first, second = np.unravel_index(similarity.argmax(), similarity.shape)
    print(f"the most alike ({similarity.max():.2f}):\n  {lines[first]}\n  {lines[second]}")
    return outputs.numpy(), states.numpy()


if __name__ == "__main__":
    main()

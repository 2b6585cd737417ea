"""A loop that waits until another thread changes a variable, on some device."""

from __future__ import annotations

import threading

import autograph as tf


def wait_on(device: str, seconds: float) -> None:
    """Returns when the loop has ended; the variable is changed after some seconds."""
    go = tf.Variable(False)

    @tf.function
    def wait():
        turns = 0
        while not go:
            turns += 1
        return turns

    def start():
        with tf.device(device):
            found.append(wait())

    found = []
    thread = threading.Thread(target=start)
    thread.start()
    threading.Event().wait(seconds)
    go.assign(True)
    thread.join()
    assert len(found) == 1

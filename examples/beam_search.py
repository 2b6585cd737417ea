"""Predictive text on a telephone's number keys, by beam search.

Each key stands for three or four letters: 2 for a, b, c, and so on to 9 for w, x, y, z. A trigram model of letters,
counted over the Zen of Python, says which letters are likely after the last two. The search keeps the `width` most
probable texts; while keys remain it may only use their letters, afterwards it completes the word. It leaves the
loop by `break` when all the texts that it keeps have ended.

    python examples/beam_search.py             a few words
    python examples/beam_search.py 84373 2388  the keys given
"""

from __future__ import annotations

import codecs
import contextlib
import io
import re
import sys

import numpy as np

import autograph as tf

END = 0
"""The letter that stands before and after each word; a to z are 1 to 26."""
LETTERS = 27
LIMIT = 16
GROUPS = ("abc", "def", "ghi", "jkl", "mno", "pqrs", "tuv", "wxyz")
KEYS = {letter: str(key) for key, letters in enumerate(GROUPS, start=2) for letter in letters}


def read_words() -> list[str]:
    """The words of the Zen of Python, which every Python brings along."""
    with contextlib.redirect_stdout(io.StringIO()):
        import this
    return re.findall("[a-z]+", codecs.decode(this.s, "rot13").lower())


def count_trigrams(words: list[str]) -> np.ndarray:
    """Log probabilities of the next letter, float32 (LETTERS * LETTERS, LETTERS): a row for each two letters before."""
    counts = np.full((LETTERS, LETTERS, LETTERS), 0.01)
    for word in words:
        codes = [END, END, *(ord(letter) - 96 for letter in word), END]
        for before, last, following in zip(codes, codes[1:], codes[2:], strict=False):
            counts[before, last, following] += 1
    counts /= counts.sum(axis=-1, keepdims=True)
    return np.log(counts).astype(np.float32).reshape(LETTERS * LETTERS, LETTERS)


def allowed_letters(keys: str) -> np.ndarray:
    """What each step may write, float32 (LIMIT, LETTERS): 0 or minus infinity, to be added to log probabilities."""
    allowed = np.zeros((LIMIT, LETTERS), np.float32)
    for step, key in enumerate(keys):
        fits = [ord(letter) - 96 for letter, its_key in KEYS.items() if its_key == key]
        allowed[step] = -np.inf
        allowed[step, fits] = 0.0
    return allowed


@tf.function
def beam_search(trigrams, allowed, width):
    """The `width` most probable texts: letters (width, LIMIT), their log probabilities, and the steps taken."""
    texts = tf.zeros((width, LIMIT), tf.int64)
    scores = tf.where(tf.range(width) == 0, 0.0, -np.inf)
    before = tf.zeros(width, tf.int64)
    last = tf.zeros(width, tf.int64)
    ended = tf.zeros(width, tf.bool)
    steps = 0
    for step in tf.range(LIMIT):
        following = tf.gather(trigrams, before * LETTERS + last) + allowed[step]
        # A text that has ended stays as it is: only END may follow, at no cost.
        following = tf.where(ended[:, None], tf.where(tf.range(LETTERS) == END, 0.0, -np.inf), following)
        scores, places = tf.math.top_k(tf.reshape(scores[:, None] + following, (-1,)), k=width)
        origins, letters = places // LETTERS, tf.cast(places % LETTERS, tf.int64)
        texts = tf.gather(texts, origins)
        texts[:, step] = letters
        before, last = tf.gather(last, origins), letters
        ended = letters == END
        steps += 1
        if tf.reduce_all(ended):
            break
    return texts, scores, steps


def spell(codes: np.ndarray) -> str:
    return "".join(chr(96 + code) for code in codes if code != END)


def main(arguments: list[str] | None = None) -> dict[str, list[str]]:
    """Completes the keys in `arguments` (the command line's by default); returns the texts found, the best first."""
    given = sys.argv[1:] if arguments is None else arguments
    trigrams = count_trigrams(read_words())
    found = {}
    for keys in given or ["843", "2388", "92", "42"]:
        texts, scores, steps = beam_search(trigrams, allowed_letters(keys), 8)
        found[keys] = [spell(text) for text in texts.numpy()]
        likely = zip(found[keys], np.exp(scores.numpy()), strict=True)
        shown = ", ".join(f"{text} ({probability:.2g})" for text, probability in likely if probability > 0)
        print(f"{keys:>6}: {shown}  [{int(steps)} steps]")
    return found


if __name__ == "__main__":
    main()

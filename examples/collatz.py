"""How long does a number take to fall to 1, when even numbers are halved and odd ones become 3n + 1?

`survey` is ordinary Python: a loop over the numbers, a call whose `while` runs a different number of times for
each of them, a list that grows. Traced with an array, all of it becomes one graph.

    python examples/collatz.py            the first hundred thousand numbers would take a while: the first 1,000
    python examples/collatz.py 27 97 871  the numbers given
"""

from __future__ import annotations

import sys

import numpy as np

import autograph as tf


def collatz(n):
    """The number of steps from `n` to 1."""
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def survey(numbers):
    """The steps of every number, and the number that takes the most, with its steps."""
    taken = []
    longest, champion = 0, numbers[0]
    for n in numbers:
        steps = collatz(n)
        if steps > longest:
            longest, champion = steps, n
        taken.append(steps)
    return tf.stack(taken), champion, longest


def main(arguments: list[str] | None = None) -> tuple[np.ndarray, int, int]:
    """Surveys the numbers in `arguments` (the command line's by default) and prints the outcome."""
    given = sys.argv[1:] if arguments is None else arguments
    if not all(number.isdecimal() and int(number) > 0 for number in given):
        raise SystemExit("give whole numbers from 1 on: no other number falls to 1")
    numbers = np.array([int(number) for number in given] or range(1, 1001), dtype=np.int64)
    taken, champion, longest = tf.function(survey)(numbers)
    for number, steps in list(zip(numbers, taken.numpy(), strict=True))[:10]:
        print(f"{number:>8} falls to 1 in {steps} steps")
    if len(numbers) > 10:
        print(f"     ... and {len(numbers) - 10} more")
    print(f"{int(champion):>8} takes the longest: {int(longest)} steps")
    return taken.numpy(), int(champion), int(longest)


if __name__ == "__main__":
    main()

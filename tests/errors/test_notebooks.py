"""In notebooks tracebacks show the cells' own lines: each arrow points at the line that failed; no other frames."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("IPython")

# Cells begin at their first line that is not empty.
SHELL = """
import sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.run_line_magic("colors", "NoColor")
for text in open(sys.argv[1]).read().split("# cell"):
    shell.run_cell(text, store_history=True)
"""

CELLS = """
import numpy as np
import autograph as tf

# cell
# The helper has a cell of its own.


def taken(values,
          number):

    return tf.gather(
        values,
        number,  # 5: one too far
    )

# cell
@tf.function
def total(values, n):
    result = 0.0

    for i in tf.range(n):
        result += taken(
            values,
            i,
        )
    return result


total(tf.constant([1.0, 2.0]), tf.constant(5))

# cell
@tf.function
def checked(x):
    for i in tf.range(3):

        assert x > i, (
            "too small"
        )
        if x > 7:
            raise ValueError(
                "too large"
            )
    return x

# cell

checked(tf.constant(1))

# cell
checked(
    tf.constant(9)
)

# cell
a = tf.zeros([2, 3])

b = [a,
     a @ a]

# cell
class Net(tf.keras.Model):
    def call(self, x):

        return tf.reshape(x, [-1, 4])

net = Net()
net.compile("sgd", "mse")
net.fit(np.zeros([6, 3]), np.zeros([6, 4]), verbose=0)
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What IPython shows of the errors of the cells: the lines that arrows point at, and the last line of each."""
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "shell.py").write_text(SHELL)
    (folder / "cells.py").write_text(CELLS)
    done = subprocess.run(
        [sys.executable, "shell.py", "cells.py"],
        cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def environment(folder: Path) -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    return {"PYTHONPATH": root, "IPYTHONDIR": str(folder), "HOME": str(folder), "PATH": "/usr/bin:/bin"}


def test_arrows_point_at_the_lines_of_the_cells(shown: list[str]) -> None:
    arrows = [line.partition("> ")[2].split(maxsplit=1) for line in shown if line.startswith("--") and "> " in line]
    assert [(int(number), text) for number, text in arrows] == [
        (13, "total(tf.constant([1.0, 2.0]), tf.constant(5))"),
        (5, "for i in tf.range(n):"),
        (6, "result += taken("),
        (7, "return tf.gather("),
        (1, "checked(tf.constant(1))"),
        (3, "for i in tf.range(3):"),
        (5, "assert x > i, ("),
        (1, "checked("),
        (3, "for i in tf.range(3):"),
        (8, "if x > 7:"),
        (9, "raise ValueError("),
        (4, "a @ a]"),
        (8, "net.fit(np.zeros([6, 3]), np.zeros([6, 4]), verbose=0)"),
        (4, "return tf.reshape(x, [-1, 4])"),
    ]


def test_frames_are_those_of_the_cells(shown: list[str]) -> None:
    assert not [line for line in shown if line.startswith("File ") and "autograph" in line]
    assert [line.partition(":")[0] for line in shown if "Error: " in line and not line.startswith(" ")] == [
        "IndexOutOfRangeError", "AssertionError", "ValueError", "InvalidArgumentError", "InvalidArgumentError"
    ]  # fmt: skip

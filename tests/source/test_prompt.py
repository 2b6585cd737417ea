"""What is typed or pasted at Python's prompt is converted like what stands in a file."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.source.terminal import ROOT, VERSIONS, Terminal, interpreter, prompts

LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def python_of(version: str) -> str:
    python, reason = interpreter(version)
    if python is None:
        pytest.skip(reason)
    return python


def terminals(version: str, folder: Path) -> Iterator[Terminal]:
    """A terminal for each kind of prompt of a Python."""
    python = python_of(version)
    for number, environment in enumerate(prompts(version)):
        own = folder / str(number)
        own.mkdir()
        with Terminal(python, own, environment) as terminal:
            yield terminal


@pytest.mark.parametrize("version", VERSIONS)
def test_the_examples_of_the_readme_pasted(version: str, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(>>>.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    examples = doctest.DocTestParser().get_examples("\n".join(blocks))
    assert len(examples) > 6
    for terminal in terminals(version, tmp_path):
        for example in examples:
            found = terminal.type(example.source)
            assert doctest.OutputChecker().check_output(example.want, found, LIKE), (example.source, found)


STATEMENTS = """
import autograph as tf; import contextlib, dataclasses, functools
---
def twice(function):
    @functools.wraps(function)
    def both(x):
        return function(x), function(x)
    return both
---
@twice
@tf.function
def several(x):
    if x > 1:
        x = x * 10
    return x
--- [int(x) for x in several(tf.constant(2))]
[20, 20]
---
@tf.function(
    input_signature=[
        tf.TensorSpec([], tf.int32),
    ],
    reduce_retracing=True,
)
def over_lines(x):
    if x > 1:
        x = x * 10
    return x
--- int(over_lines(2))
20
---
@dataclasses.dataclass
class Counter:
    n: int = 3
    @tf.function
    def first(self, x):
        if x > self.n:
            return x
        return -x
    @tf.function
    def second(self, x):
        while x < self.__limit():
            x += self.n
        return x
    def __limit(self):
        return 100
--- int(Counter().first(tf.constant(2))), int(Counter().second(tf.constant(2)))
(-2, 101)
---
f, g = tf.function(lambda x: 1 if x > 0 else 2), tf.function(lambda x: 3 if x > 0 else 4)
--- int(f(tf.constant(1))), int(g(tf.constant(1)))
(1, 3)
---
f, g = tf.function(lambda x: 5 if x > 0 else 6), \\
    tf.function(lambda x: 7 if x > 0 else 8)
--- int(f(tf.constant(1))), int(g(tf.constant(1)))
(5, 7)
---
def named(x):
    if x > 0:
        return 1
    return 2
---
first = tf.function(named)
---
def named(x):
    if x > 0:
        return 3
    return 4
--- int(first(tf.constant(1))), int(tf.function(named)(tf.constant(1))), int(first(tf.constant(-1)))
(1, 3, 2)
---
if tf is None:
    def chosen(x):
        return 0
elif isinstance(tf, int):
    pass
else:
    @tf.function
    def chosen(x):
        if x > 0:
            return 1
        return 2
--- int(chosen(tf.constant(1)))
1
---
try:
    import nowhere
except ImportError:
    @tf.function
    def handled(x):
        if x > 0:
            return 1
        return 2
finally:
    pass
--- int(handled(tf.constant(1)))
1
---
with contextlib.nullcontext():
    @tf.function
    def within(x):
        if x > 0:
            return 1
        return 2
--- int(within(tf.constant(1)))
1
---
@tf.function
def repeated(x):
    if x > 0:
        x = x * 2
        x = x * 2
        x = x * 2
    x = x + 1
    x = x + 1
    return x
--- int(repeated(tf.constant(1)))
10
---
def factory():
    @tf.function
    def inner(x):
        return (x

                if x > 0 else

                -x)
    return inner
--- int(factory()(tf.constant(-3)))
3
---
@tf.function
def documented(x):
    '''Has empty lines.


    Twice, and a line that is repeated.
    Twice, and a line that is repeated.
    '''
    if x > 0:
        return x
    return -x
--- int(documented(tf.constant(-3))), len(documented.__doc__.splitlines()) > 4
(3, True)
---
class Repeated:
    attribute = 1
    attribute = 1
    def first(self, x):
        x = x * 2
        x = x * 2
        return x if x > 0 else 1
    @tf.function
    def second(self, x):
        return self.first(x)
--- int(Repeated().second(tf.constant(-3)))
1
---
def outer(x):
    def helper(y): return y if y > 0 else -y
    return helper(x), [abs(z) if z > 1 else 0 for z in [x, x]]
--- [int(x) for x in tf.nest.flatten(tf.function(outer)(tf.constant(-3)))]
[3, 0, 0]
"""


def asked(statements: str) -> Iterator[tuple[str, str]]:
    """What is typed, and what it shows; an expression after `---` is evaluated with the expected value below."""
    for part in re.split(r"^---", statements, flags=re.MULTILINE):
        first, _, rest = part.partition("\n")
        yield (first.strip(), rest) if first.strip() else (rest, "")


@pytest.mark.parametrize("version", VERSIONS)
def test_statements_of_all_kinds(version: str, tmp_path: Path) -> None:
    for terminal in terminals(version, tmp_path):
        for text, shows in asked(STATEMENTS):
            assert terminal.type(text) == shows, text


@pytest.mark.parametrize("version", VERSIONS)
def test_prompts_of_programs_and_without_columns(version: str, tmp_path: Path) -> None:
    """`code.interact` has a prompt of its own; without columns only lines tell where code comes from."""
    statements = STATEMENTS.partition("---\nf, g")[0]
    for number, options in enumerate((["-m", "code"], ["-X", "no_debug_ranges"])):
        own = tmp_path / str(number)
        own.mkdir()
        with Terminal(python_of(version), own, {"PYTHON_BASIC_REPL": "1"}, *options) as terminal:
            for text, shows in asked(statements):
                assert terminal.type(text) == shows, text


@pytest.mark.parametrize("version", ["3.11", "3.12"])
def test_without_a_history_the_refusal_says_what_to_do(version: str, tmp_path: Path) -> None:
    for terminal in terminals(version, tmp_path):
        terminal.type("import autograph as tf, readline; readline.set_auto_history(False)")
        terminal.type("@tf.function\ndef f(x):\n    return 1 if x > 0 else 2\n")
        shown = terminal.type("f(tf.constant(1))")
        assert "there is no text for `<stdin>`; define the function in a file or a notebook cell" in shown

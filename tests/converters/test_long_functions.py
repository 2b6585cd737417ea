"""Functions with very many exits convert, keep their meaning and don't nest without end."""

from __future__ import annotations

import linecache

import pytest

from autograph.pipeline import converted, transformed
from autograph.source.unparse import unparse

COUNT = 200
RETURNS = "".join(f"    if x == {i}:\n        return {i * 2}\n" for i in range(COUNT))
KINDS = ("break", "continue", "return -x")
JUMPS = "".join(f"        if x == {i} + j:\n            {KINDS[i % 3]}\n        x += 0\n" for i in range(COUNT))
PARTIAL = RETURNS.replace("    ", "        ").replace("            ", "            ")
SOURCES = {
    "returns": f"def f(x):\n{RETURNS}    return x\n",
    "jumps": f"def f(x):\n    for j in range(3):\n{JUMPS}        x += 1\n    else:\n        x += 1000\n    return x\n",
    "returns in a branch": f"def f(x):\n    if x != 5:\n{PARTIAL}        x += 1\n    return x\n",
}


@pytest.mark.parametrize("name", SOURCES)
def test_many_exits(name):
    text, filename = SOURCES[name], f"<many {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace: dict = {}
    exec(compile(text, filename, "exec"), namespace)
    function = namespace["f"]
    form = converted(function, staged=True)
    for x in (*range(-3, 8), COUNT // 2, *range(COUNT - 3, COUNT + 3)):
        assert form(x) == function(x), x
    printed = unparse(transformed(function)[0].tree)
    assert max(len(line) - len(line.lstrip()) for line in printed.splitlines()) < 4 * 60

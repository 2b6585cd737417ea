"""How often staging traces the body of a loop: the count grows with the depth of nesting, it doesn't multiply."""

from __future__ import annotations

import linecache

import pytest

import autograph as tf

DEPTHS = (1, 2, 3, 5)
PLAIN = ["s += 1", "t = t * 0.5 + s"]
CHANGING = [
    "s += 1",
    "if best is None or s > best:",
    "    best = s * 0.5",
    "values.append(s)",
    "table['a'] += s",
]


def nested(depth, body):
    """A function of loops in loops, each of which may be left by `break`, that prints a line when it is traced."""
    lines = ["def f(n):", "    s, t, best, values, table = 0, 0.0, None, [], {'a': 0, 'b': (1, 2.0)}"]
    for level in range(depth):
        indent = "    " * (level + 1)
        lines += [f"{indent}for i{level} in tf.range(n):", f"{indent}    if i{level} > 100:", f"{indent}        break"]
    lines += ["    " * (depth + 1) + line for line in (*body, "print('traced')")]
    lines.append("    return s, t, len(values), table['a']")
    name, text = f"<nested {depth} {len(body)}>", "\n".join(lines)
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    namespace = {"tf": tf}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("body", [PLAIN, CHANGING], ids=["variables", "objects"])
def test_traces_grow_slowly_with_depth(body, capsys):
    for depth in DEPTHS:
        function = nested(depth, body)
        staged = tf.function(function)
        graph = staged.get_concrete_function(tf.TensorSpec((), tf.int32))
        traces = capsys.readouterr().out.count("traced")
        assert 0 < traces <= (depth + 1) * (depth + 2) // 2, depth
        found = [float(value) for value in graph(tf.constant(2))]
        assert found == pytest.approx([float(value) for value in function(2)])  # Python floats become float32
        capsys.readouterr()


def test_inner_loops_that_change_different_things():
    def f(xs, n):
        first, second, table = [], [0], {"k": 0}
        for x in xs:
            for i in tf.range(n):
                if i > x:
                    first.append(i)
            for i in tf.range(n):
                second.append(x)
                for j in tf.range(i):
                    table["k"] += j + len(first)
        return len(first), len(second), table["k"]

    xs, n = [0, 2, 5], 4
    staged = [int(value) for value in tf.function(f)(tf.constant(xs), tf.constant(n))]
    first, second, total = 0, 1, 0
    for x in xs:
        first += len([i for i in range(n) if i > x])
        second += n
        total += sum(j + first for i in range(n) for j in range(i))
    assert staged == [first, second, total]

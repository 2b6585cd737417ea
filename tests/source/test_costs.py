from __future__ import annotations

import ast
import inspect
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograph.source import compile_code, find
from tests.source.rebuild import module_of

THIRTY_LINES = """
    def subject(n, xs):
        total = 0
        for i in range(n):
            if i % 2 == 0:
                total += i
                while total > 100:
                    total -= 10
                    if total % 7 == 0:
                        break
            elif i % 3 == 0:
                total -= xs[i % len(xs)]
            else:
                total = total * 2 if total < 50 else total // 2
            for j in range(3):
                if j == i and total:
                    continue
                total += j * i
                if total > 1000:
                    return total
        result = []
        for x in xs:
            if x > 0 and x < 10:
                result.append(x)
            elif x == 0:
                pass
            else:
                result.append(-x)
        while result and result[-1] > 5:
            result.pop()
        print(total, result)
        return total, result
"""


def best(function: Callable[[], Any], times: int = 30) -> float:
    durations = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        durations.append(time.perf_counter() - start)
    return min(durations)


def test_there_and_back_costs_about_as_much_as_python_itself(tmp_path: Path, record_property: Any) -> None:
    subject = module_of(tmp_path, THIRTY_LINES).subject

    def python() -> None:
        compile(ast.parse(inspect.getsource(subject)), "subject", "exec")

    def ours() -> None:
        source = find(subject)
        compile_code(source.tree, subject.__code__, source)

    ratio = best(ours) / best(python)
    record_property("note", f"finding and compiling 30 lines: {ratio:.2f} of getsource, parse and compile")
    assert ratio < 2


def test_time_is_linear_in_the_size(tmp_path: Path) -> None:
    def seconds(count: int) -> float:
        text = "def f(x):\n" + "    if x: x = x + 1\n" * count + "    return x\n"
        function = module_of(tmp_path, text, f"long_{count}").f
        find(function)
        return best(lambda: compile_code(find(function).tree, function.__code__, find(function)), 5)

    assert seconds(2000) < 30 * seconds(200)


def test_many_lambdas_in_one_statement(tmp_path: Path) -> None:
    table = module_of(tmp_path, "TABLE = {\n" + "".join(f"  {n}: lambda: {n},\n" for n in range(3000)) + "}").TABLE
    start = time.perf_counter()
    for number, function in table.items():
        assert find(function).node.body.value == number
    assert time.perf_counter() - start < 10

from __future__ import annotations

from pathlib import Path

from autograph.source import compile_code, find
from tests.source.rebuild import module_of
from tests.work import work


def test_time_is_linear_in_the_size(tmp_path: Path) -> None:
    def cost(count: int) -> int:
        text = "def f(x):\n" + "    if x: x = x + 1\n" * count + "    return x\n"
        function = module_of(tmp_path, text, f"long_{count}").f
        return work(lambda: compile_code(find(function).tree, function.__code__, find(function)))

    assert cost(1000) < 11 * cost(100)


def test_a_file_is_read_once(tmp_path: Path) -> None:
    module = module_of(tmp_path, "".join(f"def f{n}(x):\n    return x + {n}\n" for n in range(200)))
    first = work(lambda: find(module.f0))
    assert all(work(lambda: find(getattr(module, f"f{n}"))) * 5 < first for n in range(1, 200))  # noqa: B023


def test_many_lambdas_in_one_statement(tmp_path: Path) -> None:
    def cost(count: int) -> int:
        lines = "".join(f"  {n}: lambda: {n},\n" for n in range(count))
        table = module_of(tmp_path, f"TABLE = {{\n{lines}}}", f"table_{count}").TABLE

        def find_all() -> None:
            for number, function in table.items():
                assert find(function).node.body.value == number

        return work(find_all)

    assert cost(1000) < 11 * cost(100)

from __future__ import annotations

import asyncio
import inspect
import sys
import traceback
import types
from collections.abc import Callable
from types import CellType, SimpleNamespace
from typing import Any

import gast
import pytest

from autograph.converters import build
from autograph.source import compile_code, find, is_generated
from tests.source.rebuild import rebuilt


def same(x):
    return x


def decorate(function):
    return function


@decorate
@decorate
def decorated(x, y=[1], *args, key: int = 3, **options: str) -> float:
    """The documentation."""
    return x, y, args, key, options


decorated.attribute = ["value"]


def test_everything_but_the_code_is_the_original() -> None:
    new = rebuilt(decorated)
    assert new is not decorated and new.__code__ is not decorated.__code__
    assert new(1) == decorated(1) == (1, [1], (), 3, {})
    assert new(1, 2, 3, key=4, z=5) == (1, 2, (3,), 4, {"z": 5})
    for name in "name qualname module doc annotations kwdefaults dict".split():
        assert getattr(new, f"__{name}__") == getattr(decorated, f"__{name}__")
    assert new.__defaults__ is decorated.__defaults__
    assert new.__globals__ is decorated.__globals__
    assert new.__dict__ is not decorated.__dict__ and new.attribute is decorated.attribute
    assert inspect.signature(new) == inspect.signature(decorated)


def test_getsource_works_for_decorated_functions() -> None:
    assert rebuilt(decorated).__code__.co_firstlineno == decorated.__code__.co_firstlineno
    assert inspect.getsource(rebuilt(decorated)) == inspect.getsource(decorated)
    assert inspect.getsource(rebuilt(decorated)).startswith("@decorate\n@decorate\ndef decorated")


def test_lines_columns_and_file() -> None:
    new = rebuilt(decorated)
    assert new.__code__.co_filename == __file__
    assert list(new.__code__.co_positions()) == list(decorated.__code__.co_positions())


def make_counter() -> tuple[Callable[[], int], Callable[[], int]]:
    count = 0

    def increase():
        nonlocal count
        count += 1
        return count

    return increase, lambda: count


def test_closures_share_their_cells() -> None:
    increase, read = make_counter()
    new = rebuilt(increase)
    assert new.__closure__ == increase.__closure__
    assert [new(), increase(), read(), rebuilt(read)()] == [1, 2, 2, 2]


def test_empty_cells_stay_empty_and_fill_later() -> None:
    def use():
        return later

    new = rebuilt(use)
    with pytest.raises(NameError, match="later"):
        new()
    later = 3
    assert new() == 3


def test_a_local_function_that_calls_itself() -> None:
    def factorial(n):
        return 1 if n == 0 else n * factorial(n - 1)

    original = factorial
    new = rebuilt(factorial)
    assert new.__code__.co_freevars == ("factorial",)
    assert new.__closure__[0] is original.__closure__[0]
    assert new(5) == 120
    factorial = lambda n: -1  # noqa: E731
    assert new(5) == -5


def global_factorial(n):
    return 1 if n == 0 else n * global_factorial(n - 1)


def test_a_global_function_that_calls_itself() -> None:
    new = rebuilt(global_factorial)
    assert new.__code__.co_freevars == ()
    assert new(5) == 120


class Base:
    def __init__(self, value=1):
        self.__value = value

    def get(self):
        return self.__value

    @classmethod
    def name(cls):
        return cls.__name__

    @staticmethod
    def __private(__x):
        return __x + 1

    def call_private(self):
        return self.__private(3), Base.__private(4), [name for name in dir(self) if "__private" in name]


class __Derived(Base):
    def __init__(self):
        super().__init__(5)
        self.__value = 6

    def get(self):
        return super().get(), self.__value, __class__

    @classmethod
    def name(cls):
        return super().name().lower()

    def nested(self):
        return [f(self) for f in (lambda self: self.__value, lambda self: super(__class__, self).get())]


def test_methods_super_class_cells_and_private_names() -> None:
    for cls, names in ((Base, ("__init__", "get", "call_private")), (__Derived, ("__init__", "get", "nested"))):
        for name in names:
            setattr(cls, name, rebuilt(getattr(cls, name)))
    __Derived.name = classmethod(rebuilt(__Derived.name.__func__))
    derived = __Derived()
    assert derived.get() == (5, 6, __Derived)
    assert derived.nested() == [6, 5]
    assert __Derived.name() == "__derived"
    assert derived.call_private() == (4, 5, ["_Base__private"])
    assert vars(derived) == {"_Base__value": 5, "_Derived__value": 6}
    assert __Derived.get.__closure__[0].cell_contents is __Derived


def test_a_class_of_underscores_mangles_nothing() -> None:
    class __:
        def get(self):
            self.__x = 1
            return vars(self)

    assert rebuilt(__.get)(__()) == {"__x": 1}


def test_generators_and_coroutines() -> None:
    def generate(n):
        yield from range(n)

    async def wait(n):
        await asyncio.sleep(0)
        return [x async for x in stream(n)]

    async def stream(n):
        for x in range(n):
            yield x

    @types.coroutine
    def old(n):
        yield
        return n

    async def wait_for_old():
        return await rebuilt(old)(3)

    assert list(rebuilt(generate)(3)) == [0, 1, 2]
    assert asyncio.run(rebuilt(wait)(3)) == [0, 1, 2]
    assert asyncio.run(wait_for_old()) == 3
    assert inspect.isgeneratorfunction(rebuilt(generate))
    assert inspect.iscoroutinefunction(rebuilt(wait))
    assert inspect.isasyncgenfunction(rebuilt(stream))
    for function in (generate, wait, stream, old):
        assert rebuilt(function).__code__.co_flags == function.__code__.co_flags


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are new in Python 3.12")
def test_type_parameters() -> None:
    namespace: dict[str, Any] = {}
    text = """
def generic[T: int, *Ts, **P](x: T) -> T:
    def inner[U](y: U) -> tuple[T, U]:
        return T, U, y
    return T, x, inner
class Generic[T]:
    def get(self):
        return T, __class__
"""
    import linecache

    linecache.cache["<generic>"] = (len(text), None, text.splitlines(True), "<generic>")
    exec(compile(text, "<generic>", "exec"), namespace)
    generic, cls = namespace["generic"], namespace["Generic"]
    new = rebuilt(generic)
    assert new.__type_params__ == generic.__type_params__ and len(new.__type_params__) == 3
    parameter, x, inner = new(1)
    assert (parameter, x) == (generic.__type_params__[0], 1)
    assert inner.__qualname__ == "generic.<locals>.inner"
    assert inner(2) == (parameter, inner.__type_params__[0], 2)
    assert rebuilt(inner)(2) == inner(2)
    assert rebuilt(cls.get)(cls()) == (cls.__type_params__[0], cls)


def test_names_of_what_a_function_defines() -> None:
    def outer():
        def inner():
            return lambda: 0

        class Local:
            def method(self):
                pass

            class Deep:
                pass

        global _made_global

        def _made_global():
            pass

        return inner, inner(), Local, Local.method, Local.Deep, _made_global, (x for x in ())

    assert [made.__qualname__ for made in rebuilt(outer)()] == [made.__qualname__ for made in outer()]
    assert rebuilt(outer)()[2].__qualname__.endswith("outer.<locals>.Local")
    assert [made.__name__ for made in rebuilt(outer)()] == [made.__name__ for made in outer()]


def change(function: Any, edit: Callable[[Any], None], **extra: Any) -> Any:
    source = find(function)
    tree = source.tree
    edit(tree)
    return compile_code(tree, function.__code__, source, extra).instantiate(function)


def test_free_variables_no_longer_used_or_newly_used() -> None:
    a, b = 1, 2

    def use():
        if False:
            return b
        return a

    def drop(tree):
        tree.body = tree.body[1:]

    def swap(tree):
        tree.body[1].value.id = "b"

    assert change(use, drop).__code__.co_freevars == ("a",)
    assert change(use, drop)() == 1
    assert change(use, swap).__code__.co_freevars == ("b",)
    assert change(use, swap)() == 2


def test_extra_values_are_free_variables_and_hide_no_global() -> None:
    def use(x):
        return x

    def edit(tree):
        tree.body[0].value = gast.Call(gast.Name("same", gast.Load(), None, None), [tree.body[0].value], [])

    assert change(use, edit)(3) == 3
    new = change(use, edit, same=lambda x: x + 1)
    assert new(3) == 4
    assert new.__code__.co_freevars == ("same",)


def test_one_code_for_many_closures() -> None:
    def make(n):
        def get():
            return n

        return get

    first, second = make(1), make(2)
    compiled = compile_code(find(first).tree, first.__code__, find(first))
    assert [compiled.instantiate(function)() for function in (first, second)] == [1, 2]
    assert compiled.instantiate(first).__code__ is compiled.instantiate(second).__code__
    assert isinstance(CellType(), CellType)


def run_body(body, at):
    call = build.operator_call("run", [build.name("if_body", at)], at)
    return [build.function("if_body", body, at), build.expression(call, at)]


def run_lambda(value, at):
    return build.operator_call("run", [build.thunk(value, at)], at)


OPERATORS = SimpleNamespace(run=lambda function: function())


def frames(error: BaseException) -> list[tuple[str, str]]:
    entries = traceback.extract_tb(error.__traceback__)
    return [(entry.name, entry.line or "") for entry in entries if entry.filename == __file__]


def test_tracebacks_name_the_users_function() -> None:
    def divide(x):
        return (
            [1]
            and 1 / x
        )  # fmt: skip

    def edit(tree):
        value = tree.body[0].value
        value.values[1] = run_lambda(value=value.values[1], at=value.values[1])
        tree.body = run_body(body=tree.body, at=tree.args.args[0])

    with pytest.raises(ZeroDivisionError) as caught:
        change(divide, edit, ag__=OPERATORS)(0)
    shown = [frame for frame in frames(caught.value) if frame[0] not in ("<lambda>", caught.value.__class__.__name__)]
    assert shown[-3:] == [("divide", "def divide(x):"), ("divide", "and 1 / x"), ("divide", "and 1 / x")]


def test_generated_functions_have_the_name_of_the_users() -> None:
    def outer(x):
        def helper():
            return lambda: 1 / x

        return helper()()

    def mark(tree):
        tree.body[0].generated = True

    for edit in (lambda tree: None, mark):
        new = change(outer, edit)
        with pytest.raises(ZeroDivisionError) as caught:
            new(0)
        assert [name for name, _ in frames(caught.value)][1:] == ["outer", "<lambda>"]
    inner = [code for code in new.__code__.co_consts if inspect.iscode(code)]
    assert [(code.co_name, code.co_qualname) for code in inner] == [("outer", outer.__qualname__)]
    assert is_generated(inner[0]) and not is_generated(outer.__code__)


def test_lambdas_of_the_user_and_generated_ones_on_one_line() -> None:
    def make(x):
        return [(lambda: x + 1), (lambda: x + 2), (lambda: x)]

    def edit(tree):
        elements = tree.body[0].value.elts
        elements[0].body.left = run_lambda(value=elements[0].body.left, at=elements[0].body.left)
        elements[1] = run_lambda(value=elements[1], at=elements[1])
        elements[2].body = run_lambda(value=elements[2].body, at=elements[2].body)

    new = change(make, edit, ag__=OPERATORS)
    assert [function() for function in new(1)] == [2, 3, 1]
    assert [function.__name__ for function in new(1)] == ["<lambda>"] * 3
    assert [function.__qualname__ for function in new(1)] == [function.__qualname__ for function in make(1)]
    directly = [code.co_name for code in new.__code__.co_consts if inspect.iscode(code)]
    assert sorted(directly) == ["<lambda>", "<lambda>", "make"]


def test_lambdas_of_constants_which_know_no_columns_in_python_3_12() -> None:
    def make(x):
        return [(lambda: 5), 6]

    def edit(tree):
        elements = tree.body[0].value.elts
        elements[1] = run_lambda(value=elements[1], at=elements[1])

    new = change(make, edit, ag__=OPERATORS)
    code = new(1)[0].__code__
    assert (code.co_name, code.co_qualname) == ("<lambda>", make(1)[0].__qualname__)


def test_a_call_made_from_a_statement_of_several_lines_is_in_one_line() -> None:
    def loop(x):
        while x < 3:
            x += 1
            x += 2
        return x

    def edit(tree):
        tree.body[:1] = run_body(body=tree.body[:1], at=tree.body[0].test)
        tree.body[0].body.insert(0, gast.Nonlocal(["x"]))

    new = change(loop, edit, ag__=OPERATORS)
    assert new(0) == 3
    positions = [p for p in new.__code__.co_positions() if p[0] is not None]
    assert all(first == last for first, last, _, _ in positions)
    lines: list[int] = []

    def trace(frame, event, _):
        if event == "line" and frame.f_code is new.__code__:
            lines.append(frame.f_lineno)
        return trace

    sys.settrace(trace)
    try:
        new(0)
    finally:
        sys.settrace(None)
    assert lines == sorted(lines), "a debugger would step backwards"


def test_missing_locations_and_lists_are_filled_in() -> None:
    def function(x):
        return x

    def edit(tree):
        inner = gast.FunctionDef(name="inner", args=gast.arguments(), body=[gast.Return(value=gast.Constant(7, None))])
        call = gast.Call(func=gast.Name("inner", gast.Load(), None, None))
        tree.body = [inner, gast.Return(value=call)]

    assert change(function, edit)(0) == 7


def test_a_tree_that_python_refuses() -> None:
    def function(x):
        return x

    def edit(tree):
        tree.body = [gast.Break()]

    with pytest.raises(SyntaxError, match="outside loop"):
        change(function, edit)

"""Calls, `assert`, `raise`, generators and coroutines."""

# ruff: noqa: B018, B023, C4, E731, F541, F821, F841, RUF, SIM

from __future__ import annotations

import asyncio

from .loud import Loud


def calls(t):
    def f(*arguments, **keywords):
        return arguments, keywords

    rest, more = [2, 3], {"k": 4}
    return t("f", f)(t("a", 1), *t("rest", rest), key=t("b", 5), **t("more", more)), f(), f(*[], *[1], **{}, **{"z": 1})


def call_errors(t):
    return t("f", None)(t("a", 1))


def calls_of_everything(t):
    class Base:
        def __init__(self, x):
            self.x = x

        def __call__(self, y):
            return self.x + y

        def method(self):
            return "base"

        @classmethod
        def make(cls):
            return cls(10)

        @staticmethod
        def static(x):
            return -x

    class Derived(Base):
        def __init__(self, x):
            super().__init__(x)
            self.lazy = x and super().method()

        def method(self):
            return f"derived of {super().method()}"

    d = Derived(1)
    f = d.method
    return d(2), d.method(), Derived.make()(1), d.static(3), f(), (lambda x: x + 1)(1), d.lazy, Derived.method(d)


def frames(t):
    x, y = 1, 2
    return sorted(locals()), x and y and sorted(locals()), [eval("x") for _ in range(1)] if False else eval("x + y")


def shadowed_builtins(t):
    def isinstance(a, b):
        return t("own", 5)

    return isinstance(1, int), (lambda callable: callable(3))(lambda n: n + 1)


def assertions(t):
    assert t("a", 1), t("never", 2)
    assert t("b", 1)
    try:
        assert t("c", 0)
    except AssertionError as error:
        t("args", error.args)
    try:
        assert t("d", 0), t("message", ("a", 1))
    except AssertionError as error:
        t("args", error.args)
    assert Loud(t), "m"
    assert Loud(t, truth=False), "m"


def raises(t):
    try:
        try:
            raise t("class", KeyError) from t("cause", ValueError("c"))
        except KeyError as error:
            t("cause", repr(error.__cause__))
            raise
    except LookupError as error:
        t("again", repr(error))
        raise RuntimeError("last") from None


def raise_no_exception(t):
    raise t("x", 5)


def yields(t):
    def generate():
        x = t("a", 1) and (yield 1)
        y = (yield 2) if x else (yield 3)
        values = [0]
        values[0] += yield 4
        z = 1 < (yield 5) < 9
        assert y != 7, (yield 6)
        return x, y, z, values, f"{yield 7}"

    g = generate()
    seen = [next(g)]
    try:
        for value in (10, 20, 30, 4, 5):
            seen.append(g.send(value))
    except StopIteration as stop:
        seen.append(stop.value)
    return seen


def awaits(t):
    async def give(x):
        return t("give", x)

    async def items():
        for i in range(3):
            yield i

    async def main():
        a = await give(1) and await give(2) or await give(3)
        b = [await give(x) for x in range(2)] + [x async for x in items()] + [x for x in await give([7])]
        c = 0 < await give(1) < await give(2)
        d = (await give(5)) if await give(0) else await give(6)
        x = [0]
        x[await give(0)] += await give(4)
        async for x[0] in items():
            pass
        match await give([1, 2]):
            case [p, q] if await give(p):
                pass
        return a, b, c, d, x, p, q, f"{await give(1)}", {k: v async for k, v in pairs()}

    async def pairs():
        yield 1, 2

    return asyncio.run(main())

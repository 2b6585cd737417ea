"""A library whose values are formulas, and what stages `if` on them for autograph: a conditional formula."""

from contextlib import contextmanager

tracing = False


class Sym:
    def __init__(self, text):
        self.text = text

    def __bool__(self):
        raise TypeError("a formula has no truth")

    def __add__(self, other):
        return Sym(f"({text_of(self)} + {text_of(other)})")

    def __mul__(self, other):
        return Sym(f"({text_of(self)} * {text_of(other)})")

    def __gt__(self, other):
        return Sym(f"({text_of(self)} > {text_of(other)})")


def text_of(value):
    return value.text if isinstance(value, Sym) else repr(value)


@contextmanager
def formulas():
    global tracing
    tracing = True
    try:
        yield
    finally:
        tracing = False

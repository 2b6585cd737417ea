"""The statements that `to_graph` puts around the body of a function: `autograph/entry.py` shows them, and says why."""

from __future__ import annotations

from typing import Any

import gast

NAME = "ag__entry"


def enter(tree: gast.AST) -> dict[str, Any]:
    """Puts the statements around the body of a function; returns what they need, which each function has its own of."""
    def name(text: str) -> Any:
        return gast.Name(text, gast.Load(), None, None)

    def call(method: str, values: list[Any], keywords: list[Any]) -> Any:
        return gast.Call(gast.Attribute(name(NAME), method, gast.Load()), values, keywords)

    given = tree.args
    values = [name(each.id) for each in (*given.posonlyargs, *given.args)]
    keywords = [gast.keyword(each.id, name(each.id)) for each in given.kwonlyargs]
    if given.vararg is not None:
        values.append(gast.Starred(name(given.vararg.id), gast.Load()))
    if given.kwarg is not None:
        keywords.append(gast.keyword(None, name(given.kwarg.id)))
    staged = gast.If(call("staging", [], []), [gast.Return(call("staged", values, keywords))], [])
    leave = gast.ExceptHandler(None, None, [gast.Expr(call("trim", [], [])), gast.Raise(None, None)])
    begin = int(len(tree.body) > 1 and gast.get_docstring(tree) is not None)
    around = gast.Try(tree.body[begin:], [leave], [], [])
    first = tree.body[begin]  # debuggers stop at a line when it is begun: this one is begun here
    place = gast.Pass(lineno=first.lineno, col_offset=first.col_offset, end_lineno=first.lineno,
                      end_col_offset=first.col_offset)  # fmt: skip
    for statement in (staged, around):  # what is inside of them has no other place
        gast.copy_location(statement, place)
    tree.body[begin:] = [staged, around]
    return {NAME: None}

"""Compares the scopes that the analysis finds with Python's own symbol tables."""

from __future__ import annotations

import re
import symtable
import sys

import gast

from autograph.analysis import Kind, Scope, scopes

_CELL = 5
_INLINED = sys.version_info >= (3, 12)
_SYMBOL_TABLE_NAMES = {
    Kind.LAMBDA: "lambda",
    Kind.GENERATOR: "genexpr",
    Kind.MODULE: "top",
}
_COMPREHENSIONS = {gast.ListComp: "listcomp", gast.SetComp: "setcomp", gast.DictComp: "dictcomp"}


def differences(text: str, filename: str) -> list[str]:
    """What differs between the scopes and the symbol table of a module, one line for each name."""
    future = re.search("^from __future__ import annotations", text, re.MULTILINE) is not None
    found = scopes(gast.parse(text), future_annotations=future).root
    table = symtable.symtable(text, filename, "exec")
    result: list[str] = []
    _compare(found, table, filename, result)
    return result


def _compare(scope: Scope, table: symtable.SymbolTable, where: str, result: list[str]) -> None:
    here = f"{where}:{table.get_name()}"
    if scope.kind not in (Kind.MODULE, Kind.TYPES, Kind.LAZY_TYPE):
        ours, theirs = _classes(scope), _table_classes(table)
        inlined = _inlined_names(scope) if _INLINED else set()
        for name in sorted((ours.keys() | theirs.keys()) - inlined):
            if ours.get(name) != theirs.get(name):
                result.append(f"{here}: {name} is {ours.get(name)}, should be {theirs.get(name)}")
    own = sorted(_scope_children(scope), key=_key)
    other = sorted(_children(table), key=_table_key)
    if [_key(child) for child in own] != [_table_key(child) for child in other]:
        result.append(f"{here}: children {list(map(_key, own))} should be {list(map(_table_key, other))}")
        return
    for left, right in zip(own, other, strict=True):
        _compare(left, right, here, result)


def _scope_children(scope: Scope) -> list[Scope]:
    """The scopes inside; where comprehensions are inlined, the table mixes their names up with the function's."""
    result = []
    for child in scope.children:
        result += _scope_children(child) if _INLINED and child.kind is Kind.COMPREHENSION else [child]
    return result


def _children(table: symtable.SymbolTable) -> list[symtable.SymbolTable]:
    result = []
    for child in table.get_children():
        if _INLINED and _is_comprehension(child):
            result += _children(child)
        elif "annotation" not in str(child.get_type()).lower():
            result.append(child)
    return result


def _is_comprehension(table: symtable.SymbolTable) -> bool:
    return table.get_name() in _COMPREHENSIONS.values() and ".0" in table.get_identifiers()


def _classes(scope: Scope) -> dict[str, str]:
    result = dict.fromkeys(scope.outer, "global")
    result |= dict.fromkeys(scope.locals, "local") | dict.fromkeys(scope.free, "free")
    result |= dict.fromkeys(scope.cells, "cell")
    result |= dict.fromkeys(scope.parameters, "parameter")
    result |= dict.fromkeys(set(scope.parameters) & scope.cells, "cell parameter")
    result |= dict.fromkeys(scope.globals, "declared global") | dict.fromkeys(scope.nonlocals, "nonlocal")
    if scope.kind is Kind.CLASS:  # one name, two meanings: the table shows the class's own
        result |= dict.fromkeys(scope.locals, "local")
    return result


def _table_classes(table: symtable.SymbolTable) -> dict[str, str]:
    result = {}
    in_comprehension = _is_comprehension(table) or table.get_name() == "genexpr"
    for symbol in table.get_symbols():
        name = symbol.get_name()
        if name.startswith(".") or name in ("__type_params__", "__classdict__"):
            continue
        cell = symbol._Symbol__scope == _CELL  # type: ignore[attr-defined]
        if symbol.is_parameter():
            result[name] = "cell parameter" if cell else "parameter"
        elif symbol.is_declared_global():
            result[name] = "global" if in_comprehension else "declared global"
        elif symbol.is_nonlocal():
            result[name] = "free" if in_comprehension else "nonlocal"  # the target of a walrus
        elif symbol.is_free():
            result[name] = "free"
        elif cell:
            result[name] = "cell"
        elif symbol.is_local() or (str(table.get_type()) == "module" and symbol.is_assigned()):
            result[name] = "local"
        else:
            result[name] = "global"
    return result


def _inlined_names(scope: Scope) -> set[str]:
    """Every name of the comprehensions in a scope."""
    result: set[str] = set()
    for child in scope.children:
        if child.kind is Kind.COMPREHENSION:
            result |= _classes(child).keys() | _inlined_names(child)
    return result


def _key(scope: Scope) -> tuple[int, str, list[str]]:
    node = scope.node
    if scope.kind is Kind.LAZY_TYPE:
        return (0, "type", [])
    name = _SYMBOL_TABLE_NAMES.get(scope.kind) or _COMPREHENSIONS.get(type(node)) or getattr(node.name, "id", node.name)
    return (node.lineno, name, [] if _INLINED else sorted(_classes(scope)))


def _table_key(table: symtable.SymbolTable) -> tuple[int, str, list[str]]:
    if str(table.get_type()) in ("type alias", "TypeVar bound", "type variable"):
        return (0, "type", [])
    return (table.get_lineno(), table.get_name(), [] if _INLINED else sorted(_table_classes(table)))

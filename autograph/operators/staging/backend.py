"""The back end that builds graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView
from types import FunctionType, MappingProxyType
from typing import Any

from autograph.runtime.base.dtypes import Array
from autograph.runtime.base.streams import Stream
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.tensor import EagerTensor, Tensor

from ..dispatch import Backend, Options, Thunk
from ..variables import UNDEFINED
from .control import cond, conditions, errors, plain_trials, recursion, run_errors, statements
from .heap import array_forms, heap, state
from .heap.assigned_contents import assign_where, decided
from .heap.attributes import attribute_dicts
from .outside import calls, unconverted
from .prelude import (
    attribute_calls,
    comparisons,
    displays,
    items,
    math_calls,
    membership,
    numpy_calls,
    progress_bars,
    python_builtins,
    text,
)
from .prelude.reading import read, read_items, read_object, reading
from .values import unpacking as unpacking
from .values.chosen import Chosen
from .values.dicts import StagedDict
from .values.iterables import StagedIterable
from .values.lists import StagedList
from .values.maybe import Maybe
from .values.specs import as_number
from .values.truths import Truth


class GraphBackend(Backend):
    """Builds `cond` and `while` nodes of the current graph. Eager tensors are values that Python can look at."""

    name = "graph"
    counts_traces = True

    def owns(self, value_type: type) -> bool:
        return issubclass(
            value_type,
            (Tensor, Maybe, StagedList, StagedDict, StagedIterable, Truth, Chosen, Variable, Stream),
        )

    def staging(self) -> bool:
        return trace.current_graph() is not None

    def in_body(self) -> bool:
        return any(not journal.outermost for journal in state.stack())

    def body(self) -> object:
        return next((journal for journal in reversed(state.stack()) if not journal.outermost), None)

    def size(self) -> int:
        graph = trace.current_graph()
        return 0 if graph is None else len(graph.nodes)

    def if_stmt(self, test: object, body: Thunk, orelse: Thunk, names: tuple[str, ...]) -> Any:
        return cond.if_stmt(read(test), body, orelse, names)

    def while_stmt(self, go: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options) -> Any:
        go = read(go)
        known = conditions.static_truth(go)
        if known is None:
            return statements.while_stmt(go, test, body, names, options)
        return statements.while_in_python(known, test, body, names, options)

    def while_rest(self, stop: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options) -> Any:
        stop = read(stop)
        known = conditions.static_truth(stop)
        if known is None:
            return statements.while_rest(stop, test, body, names, options)
        return known or statements.while_in_python(None, test, body, names, options)

    def for_stmt(self, iterable: object, body: Callable[[Any], Any], names: tuple[str, ...], options: Options) -> Any:
        iterable = heap.staged(iterable)
        if not self.staging() or isinstance(iterable, StagedDict):
            return statements.for_in_python(iterable, body, names, options)
        return statements.for_stmt(read_items(iterable), body, names, options)

    def for_rest(
        self, stop: object, iterator: Iterator[Any], body: Callable[[Any], Any], names: tuple[str, ...],
        options: Options,
    ) -> Any:  # fmt: skip
        stop = read(stop)
        known = conditions.static_truth(stop)
        if known is None:
            return statements.for_rest(stop, iterator, body, names, options)
        return known or statements.for_in_python(iterator, body, names, options)

    def not_(self, value: object) -> Any:
        return conditions.not_(read(value))

    def and_(self, left: object, right: Thunk) -> Any:
        return conditions.and_(read(left), right)

    def or_(self, left: object, right: Thunk) -> Any:
        return conditions.or_(read(left), right)

    def contains(self, item: object, container: object) -> Any:
        keys_of = heap.form_viewed(container) if isinstance(container, (KeysView, MappingProxyType)) else None
        values = read_items(container) if keys_of is None else keys_of
        return as_number(membership.contains(read_object(item), values), bool)

    def compare(self, operator: Callable[[Any, Any], Any], left: object, right: object) -> Any:
        return as_number(comparisons.compare(operator, left, right), bool)

    def is_(self, left: object, right: object) -> Any:
        return as_number(conditions.is_(left, right), bool)

    def assert_(self, test: object, message: Thunk | None) -> None:
        statements.assert_(read(test), message)

    def raise_(self, exception: BaseException) -> None:
        errors.stage_raise(exception)

    def is_refusal(self, error: BaseException) -> bool:
        return plain_trials.is_refusal(error)

    def begin_handled(self) -> Any:
        return run_errors.mark()

    def check_handled(self, start: Any, classes: tuple[Any, ...], statement: str) -> Any:
        return run_errors.check_since(start, classes, statement)

    def items_of(self, values: Any) -> Any:
        return displays.items_of(values) if self.staging() else (*values,)

    def check_pattern(self, subject: object) -> None:
        if isinstance(subject, StagedList):
            raise subject.refused("`case [a, b]`", "test len(x) with `if`, and take elements by index")
        if isinstance(subject, StagedDict):
            subject.plain("`case {…}`")

    def joined(self, kind: type, parts: tuple[Any, ...]) -> Any:
        if not self.staging():
            return kind([item for part in parts for item in part])
        return displays.joined(kind, parts)

    def call_display(self, function: Callable[..., Any], parts: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return displays.call_display(function, parts, keywords)

    def unpack_starred(self, items: Any, before: int, after: int) -> list[Any]:
        return displays.unpack_starred(items, before, after)

    def get_item(self, container: object, index: object) -> Any:
        return items.get_item(container, read_object(index) if isinstance(container, dict) else read(index))

    def set_item(self, value: object, container: object, index: object) -> Any:
        return items.set_item(value, container, read(index))

    def is_available(self, tensor: Any) -> bool:
        graph = trace.current_graph()
        return isinstance(tensor, EagerTensor) or (graph is not None and graph.encloses_me(tensor.value.node.graph))

    def decided(self, decision: Any) -> Any:
        return decided(decision)

    def assign_where(self, decision: Any, target: object, source: object) -> None:
        assign_where(decision, target, source)

    def get_array_item(self, array: Array, index: object) -> Any:
        return array_forms.get_item(array, read(index))

    def set_array_item(self, value: object, array: Array, index: object) -> None:
        array_forms.set_item(value, array, read(index))

    def has_no_attributes(self, value: object) -> bool:
        return attribute_calls.has_no_attributes(value)

    def set_attribute(self, value: object, name: str, new: object) -> None:
        attribute_calls.set_attribute(value, name, new)

    def delete_attribute(self, value: object, name: str) -> None:
        attribute_calls.delete_attribute(value, name)

    def set_in_element(self, value: object, container: object, place: object, array: Array, index: object) -> bool:
        return items.set_in_element(value, container, read(place), array, read(index))

    def get_attribute(self, tensor: Any, name: str) -> Any:
        return attribute_calls.attribute(tensor, name)

    def update_array(self, operator: Callable[[Any, Any], Any], array: Array, value: object) -> Any:
        return array_forms.update(operator, array, value)

    def changed_object(self, value: object) -> Any:
        return value.ag__checked("is changed") if type(value) is Maybe else value

    def is_lasting(self, value: object) -> bool:
        return isinstance(value, (Variable, EagerTensor))

    def before_delete(self, obj: object, name: str) -> None:
        attribute_dicts.before_delete(obj, name)

    def module_variables(self, variables: dict[str, Any]) -> dict[str, Any]:
        return attribute_dicts.module_variables(variables)

    def load(self, value: object, name: str) -> Any:
        if type(value) is Maybe and value.ag__missing is UNDEFINED:
            value.ag__name = value.ag__name or name
            return value.ag__present()
        return value

    def replacement(self, function: object) -> Callable[..., Any] | None:
        found = python_builtins.replacement(function) or math_calls.replacement(function)
        if found is not None:
            return reading(function, found)
        found = progress_bars.replacement(function)
        if found is not None:
            return found
        found = numpy_calls.replacement(function)
        return None if found is None else heap.giving(found)

    def watch_call(self, function: object) -> Callable[..., Any]:
        return calls.watch_call(function)

    def note_key(self, key: object) -> None:
        unconverted.note_key(key)

    def recursive(self, function: FunctionType, form: Callable[..., Any]) -> Callable[..., Any]:
        return recursion.recursive(function, form)

    def format_value(self, value: object, conversion: str | None, specification: object) -> Any:
        return as_number(text.format_value(read_object(value), conversion, specification), str)

    def percent(self, template: object, values: object) -> Any:
        return as_number(text.percent(template, heap.given(values)), str)

    def join_strings(self, parts: list[Any]) -> Any:
        return as_number(text.join_strings(parts), str)

"""The state of saved functions (see `runtime.functions.call_state`): what places outside of them held.

    {"places": [{"name": "Counter.count", "object": 0, "value": {"eager": "constants/0"}}, …],
     "graphs": [[0, [{"place": 0, "template": {"spec": ["int32", [], null]}, "may_miss": false, "read": true,
                      "written": true}, …]], …]}

An attribute of an object of the model (``"object"``, its place), or an item of a dict, is that of the loaded object;
anything else is kept with the model. ``"value"`` is left out where there is none. ``"graphs"`` has the places of each
function that is called from outside, by its place in the table of functions: the tensors of the template are the last
parameters and the last outputs of the graph, in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autograph.errors import SavingError

from ...base import shapes
from ...base.dtypes import bool_
from ...functions.call_state import MISSING, OUTSIDE, SavedPlace, StatePlace, arguments, place_of, state_of
from ...functions.optional import OptionalOutput
from ...ir.graph import Graph, Type
from ...tensors.spec import TensorSpec
from ...tensors.tensor import SymbolicTensor
from .objects import LoadedObject
from .values import NotSavable, Source, Target, decode, encode, is_index, require

__all__ = ["StateReader", "StateWriter"]

_PLACE = {"name", "object", "value"}
_USE = {"place", "template", "may_miss", "read", "written"}
_CONSTANTS = (type(None), bool, int, float, complex, str, bytes)


class StateWriter:
    """Collects the places of the functions of a model."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._graphs: dict[int, list[dict[str, Any]]] = {}
        self._places: dict[Any, tuple[int, SavedPlace]] = {}
        self._labels: list[str] = []
        self._where: list[Mapping[str, Any]] = []

    def add(self, number: int, graph: Graph) -> None:
        """Take the state of a graph. Raises `SavingError`."""
        if state_of(graph) and number not in self._graphs:
            self._graphs[number] = [self._use(graph, place) for place in state_of(graph)]

    def _use(self, graph: Graph, place: StatePlace) -> dict[str, Any]:
        saved = place.saved()
        if saved is None:
            raise _not_savable(graph, place)
        if isinstance(saved.value, SymbolicTensor):
            raise bound_to_a_graph(graph)
        number, _ = self._places.setdefault(saved.key, (len(self._places), saved))
        if number == len(self._labels):
            self._labels.append(place.label)
            self._where.append(place.where)
        try:
            template = encode(saved.template, self._target)
        except NotSavable:
            raise _not_savable(graph, place) from None
        return {"place": number, "template": template, "may_miss": saved.may_miss, "read": bool(place.inputs),
                "written": place.writes}  # fmt: skip

    def encoded(self, objects: dict[int, int]) -> dict[str, Any] | None:
        """The JSON form, None when there is no state; ``objects`` are the places of objects by identity."""
        if not self._graphs:
            return None
        places = []
        for number, saved in self._places.values():
            label = self._labels[number]
            place = objects.get(id(saved.owner))
            data: dict[str, Any] = {"name": label if place is None else saved.name, "object": place}
            if saved.value is not MISSING:
                try:
                    data["value"] = encode(saved.value, self._target)
                except NotSavable as error:
                    raise SavingError(
                        f"`{label}`, which a function of the model changes, holds {error}, which a saved model can't "
                        "hold",
                        **self._where[number],
                        construct=label,
                        remedy="hold tensors, numbers or structures of them there",
                    ) from None
            places.append(data)
        return {"places": places, "graphs": [[number, uses] for number, uses in self._graphs.items()]}


def bound_to_a_graph(graph: Graph) -> SavingError:
    """The error for a graph that needs another one around it."""
    return SavingError(
        f"{graph.name}() uses tensors of a graph around it, and can't be saved without that",
        remedy="pass these tensors as arguments",
    )


def _not_savable(graph: Graph, place: StatePlace) -> SavingError:
    return SavingError(
        f"{graph.name}() changes `{place.label}` outside of itself, which holds what a saved model can't keep",
        **place.where,
        construct=place.label,
        remedy="hold a tensor there, or keep the state in a tf.Variable",
    )


class _Held:
    """What keeps the value of a place that is no attribute of an object of the model."""

    holds_state = True


class _Slot:
    """Where a place of a loaded model is: an attribute of `owner`."""

    def __init__(self, data: Any, source: Source) -> None:
        require(type(data) is dict and data.keys() | {"value"} == _PLACE, "a place of the state has wrong parts")
        name, self.object = data["name"], data["object"]
        require(type(name) in (str, int, bool, float), "a place of the state has no name")
        require(type(name) is not str or (name.isprintable() and len(name) <= 10_000), "a place has no valid name")
        self.label = str(name)
        self.attribute = "value" if self.object is None else name
        self.owner: Any = _Held()
        self.value = decode(data["value"], source) if "value" in data else MISSING

    def put_into(self, object_at: Callable[[Any], Any]) -> None:
        """Give the place its value, in the object that has it."""
        if self.object is not None:
            self.owner = object_at(self.object)
            is_attribute = isinstance(self.owner, LoadedObject) and type(self.attribute) is str
            is_attribute = is_attribute and not self.attribute.startswith("__")
            require(is_attribute or type(self.owner) is dict, "a place of the state is in no object")
        if self.value is not MISSING:
            self._table[self.attribute] = self.value

    @property
    def _table(self) -> dict[Any, Any]:
        return self.owner if isinstance(self.owner, dict) else vars(self.owner)

    @property
    def held(self) -> Any:
        """What the place holds now."""
        return self._table.get(self.attribute, MISSING)


class RestoredPlace(StatePlace):
    """A place of a loaded model."""

    def __init__(self, slot: _Slot, template: object, may_miss: bool) -> None:
        self.label = slot.label
        self._slot = slot
        self._template = template
        self._may_miss = may_miss
        self._made: StatePlace | None = None

    @property
    def _place(self) -> StatePlace:
        if self._made is None:
            made = place_of(self._slot.owner, self._slot.attribute, self._template, self._may_miss)
            made.inputs, made.outputs = self.inputs, self.outputs
            self._made = made
        return self._made

    def read(self) -> Sequence[Any]:
        return self._place.read()

    def start(self) -> Sequence[Any]:
        return self._place.start()

    def write(self, tensors: Sequence[Any]) -> None:
        self._place.write(tensors)

    def taken(self) -> Sequence[Any] | None:
        return self._place.taken()

    def given(self, tensors: Sequence[Any]) -> None:
        self._place.given(tensors)

    def saved(self) -> SavedPlace | None:
        slot = self._slot
        owner = slot.owner if slot.object is not None else None
        return SavedPlace((_Slot, id(slot)), owner, slot.attribute, slot.held, self._template, self._may_miss)


class StateReader:
    """Gives graphs their state. Raises `InvalidArgumentError` for what is not valid."""

    def __init__(self, data: Any, functions: Sequence[Graph], source: Source) -> None:
        self._slots: list[_Slot] = []
        if data is None:
            return
        require(type(data) is dict and data.keys() == {"places", "graphs"}, "the state has wrong parts")
        require(type(data["places"]) is list and type(data["graphs"]) is list, "the state is no table")
        self._slots = [_Slot(each, source) for each in data["places"]]
        for pair in data["graphs"]:
            require(type(pair) is list and len(pair) == 2 and is_index(pair[0], len(functions)), "a state has no graph")
            graph, uses = functions[pair[0]], pair[1]
            require(type(uses) is list and not state_of(graph), "the state of a graph is no list")
            _attach(graph, [self._place(each, source) for each in uses])

    def _place(self, data: Any, source: Source) -> tuple[RestoredPlace, list[Type], bool, bool]:
        require(type(data) is dict and data.keys() == _USE, "a place of the state has wrong parts")
        require(is_index(data["place"], len(self._slots)), "there is no such place")
        require(all(type(data[each]) is bool for each in ("may_miss", "read", "written")), "a place has wrong parts")
        template = decode(data["template"], source)
        types = [Type(bool_, ())] if data["may_miss"] else []
        types += _types(template)
        place = RestoredPlace(self._slots[data["place"]], template, data["may_miss"])
        return place, types, data["read"], data["written"]

    def put_into(self, object_at: Callable[[Any], Any]) -> None:
        """Give the places their values; ``object_at`` gives the object of a place in the tree."""
        for slot in self._slots:
            slot.put_into(object_at)


def _attach(graph: Graph, places: list[tuple[RestoredPlace, list[Type], bool, bool]]) -> None:
    """Let the last parameters and outputs of a graph be those of places."""
    wanted = [type_ for _, types, is_read, _ in places for type_ in (types if is_read else ())]
    written = [type_ for _, types, _, is_written in places for type_ in (types if is_written else ())]
    start, end = len(graph.parameters) - len(wanted), len(graph.outputs) - len(written)
    found = [value.type for value in graph.parameters[max(start, 0) :]]
    require(start >= 0 and found == wanted, "the state of a graph has other types than its parameters")
    pairs = zip(graph.outputs[max(end, 0) :], written, strict=False)
    fits = all(value.dtype is type_.dtype and shapes.is_subshape(value.shape, type_.shape) for value, type_ in pairs)
    require(end >= 0 and fits, "the state of a graph has other types than its outputs")
    for place, types, is_read, is_written in places:
        if is_read:
            place.inputs = graph.parameters[start : start + len(types)]
            start += len(types)
        if is_written:
            place.outputs = graph.outputs[end : end + len(types)]
            end += len(types)
    OUTSIDE.of(graph).state = [place for place, *_ in places]
    require(arguments(graph) == [value for value in graph.parameters if value not in _inputs(graph)], "state is twice")


def _inputs(graph: Graph) -> set[Any]:
    return {value for place in state_of(graph) for value in place.inputs}


def _types(template: object) -> list[Type]:
    """The types of the tensors of a template."""
    if isinstance(template, TensorSpec):
        return [template.type]
    if isinstance(template, OptionalOutput):
        return [Type(bool_, ()), *_types(template.value)]
    if isinstance(template, (list, tuple)):
        return [type_ for part in template for type_ in _types(part)]
    if type(template) is dict:
        return [type_ for part in template.values() for type_ in _types(part)]
    require(type(template) in _CONSTANTS, "the template of a place is not valid")
    return []

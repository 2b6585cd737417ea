"""From the type of a value to the back end that stages it.

The operators ask `backend_of(value)`. `None` means plain Python; anything else is a `Backend`, one class with a
handful of methods. Adding a back end edits no operator: write the class, then `register_backend(MyBackend())`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FunctionType
from typing import Any, ClassVar, Final
from weakref import WeakSet

from autograph.marks import NOTE
from autograph.runtime.base.dtypes import Array
from autograph.runtime.tensors.trace import open_graphs as open_traces

from .data_model.by_type import ByType
from .data_model.plugged import look, seen
from .staging import asked
from .staging.heap.array_memory import is_array
from .staging.heap.heap import has_form, open_forms

Thunk = Callable[[], Any]
Options = Callable[[], dict[str, Any]] | None


class Backend:
    """Stages control flow over the values of one library. This docstring is all that a new back end needs.

    A back end is asked for by the type of a value (`owns`), without importing any library: compare
    ``value_type.__module__`` first. Answers are cached for each type. Arithmetic and single comparisons stay the
    values' own (``+``, ``<``, ``==``); their ``__bool__``, ``__iter__`` and ``__index__`` should raise.

    **While it is tracing, `staging` answers true.** Only then do converted functions run the form that calls these
    methods; otherwise ``if`` and ``while`` are Python's and ask a condition for its ``bool``.

    **Bodies are closures.** ``body``, ``orelse`` and ``test`` are functions without parameters (the body of a ``for``
    takes the item) made inside the user's function. They read and write the user's variables through their own
    closure cells: ``names`` lists those that may be written and are needed afterwards; what else their closures hold
    (``ag__``, functions, variables that are only read) is to be left alone.

    **State** is read and set through ``autograph.operators.state``. A `Location` is a variable, an attribute, an item
    or the contents of a list or dict: it has ``name``, ``label`` (as the user would write it), ``key`` (equal for the
    same place in another body), ``get()`` and ``set(value)``; a variable without a value holds ``UNDEFINED`` (of
    ``autograph.operators.variables``). A `Journal` collects what a body, or any function that it calls, has changed,
    and puts it back, so that another branch can run::

        state = {each.key: each for each in locations((body, test), names) if each.name in names}
        with Journal((body,), names) as journal:
            result = body()
            changes = journal.changes()  # {key: (location, old, new)}
            journal.undo()

    **The contract of `if_stmt`.** Run both bodies, each under its own sub-graph and its own `Journal`; merge the
    results, and the values of every location that either has changed (a location that one branch left alone has its
    old value there); build the conditional; set each location to its merged value; return the merged result. What
    can't be merged raises `BranchMismatchError`. A body that returns a value returns the user's result of that branch.

    **The contract of the loops.** ``test`` gives the condition, ``body`` one turn. A body returns ``None`` or ``False``
    to go on, ``True`` to leave the loop (``break``), or a staged bool. A loop returns whether it was left by ``break``
    (a bool, maybe staged). The types of the state are found by running the body until they no longer change.
    ``options``, if not ``None``, returns a dict with any of ``maximum_iterations``, ``shape_invariants`` (pairs of a
    value and a shape) and ``parallel_iterations``.

    **Errors.** A method may raise any class of `autograph.errors`; it never runs something else in silence. An
    exception that a body raises passes through with the state as it was before the statement.

    **A raise** that the user writes in a staged body arrives as `StagedRaise` (a ``BaseException``), after `raise_`
    has staged it: the branch never returns, and takes the types of the other.
    """

    name = "backend"
    counts_traces: ClassVar[bool] = False
    """Whether `open_traces` holds something whenever this back end is tracing on any thread; `staging` is then not
    asked while it is empty, which makes calls of converted functions on plain values faster."""

    def owns(self, value_type: type) -> bool:
        """Whether values of this type are staged by this back end (or by its library, when nothing is traced)."""
        raise NotImplementedError

    def staging(self) -> bool:
        """Whether this back end is tracing on the calling thread."""
        raise NotImplementedError

    def in_body(self) -> bool:
        """Whether this back end is tracing the body of a conditional or a loop on the calling thread."""
        return False

    def body(self) -> object:
        """That body, by identity: what is raised in one, and handled in it, Python raises and handles itself."""
        return object()

    def size(self) -> int:
        """The number of nodes traced so far in the current graph; loops that Python unrolls are judged by it."""
        return 0

    # Control flow.

    def if_stmt(self, test: object, body: Thunk, orelse: Thunk, names: tuple[str, ...]) -> Any:
        """Stages ``if``, and the conditional expression (with no ``names``)."""
        raise NotImplementedError

    def while_stmt(self, go: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options) -> Any:
        """Stages a loop (or the rest of one) of which ``go``, a staged bool, says whether it makes its next turn.

        ``test`` has been evaluated for that turn: the loop is ``while go: stop = body(); go = not stop and test()``.
        """
        raise NotImplementedError

    def for_stmt(self, iterable: object, body: Callable[[Any], Any], names: tuple[str, ...], options: Options) -> Any:
        """Stages a loop over a value that this back end owns."""
        raise NotImplementedError

    def for_rest(
        self, stop: object, iterator: Iterator[Any], body: Callable[[Any], Any], names: tuple[str, ...],
        options: Options,
    ) -> Any:  # fmt: skip
        """Continues a Python loop of which a turn has given a staged stop signal: ``stop``, a staged bool."""
        raise NotImplementedError

    def while_rest(self, stop: object, test: Thunk, body: Thunk, names: tuple[str, ...], options: Options) -> Any:
        """Continues a Python ``while`` loop of which a turn has given a staged stop signal."""
        raise NotImplementedError

    # Conditions.

    def not_(self, value: object) -> Any:
        """Stages ``not value``."""
        raise NotImplementedError

    def and_(self, left: object, right: Thunk) -> Any:
        """Stages ``left and right()``: ``right`` is evaluated only where ``left`` is true."""
        raise NotImplementedError

    def or_(self, left: object, right: Thunk) -> Any:
        """Stages ``left or right()``: ``right`` is evaluated only where ``left`` is false."""
        raise NotImplementedError

    def contains(self, item: object, container: object) -> Any:
        """Stages ``item in container``; either may be a staged value."""
        raise NotImplementedError

    def compare(self, operator: Callable[[Any, Any], Any], left: object, right: object) -> Any:
        """Stages ``operator(left, right)``, a comparison of lists, tuples or dicts that may hold staged values."""
        return operator(left, right)

    def is_(self, left: object, right: object) -> Any:
        """Answers ``left is right``; a staged bool when one of them may be ``None``."""
        return left is right

    def check_identity(self, left: object, right: object) -> None:
        """Refuses ``left is right``, of values that are not of this back end, where only the run knows the answer."""

    # Errors at run time.

    def assert_(self, test: object, message: Thunk | None) -> None:
        """Stages ``assert test, message()``."""
        raise NotImplementedError

    def raise_(self, exception: BaseException) -> None:
        """Stages ``raise exception`` inside a staged body."""
        raise NotImplementedError

    def is_refusal(self, error: BaseException) -> bool:
        """Whether an exception comes of staging: code of the user must not see it, and no branch may keep it."""
        return False

    def begin_handled(self) -> Any:
        """Called where the body of a statement begins that may catch exceptions; what it returns goes to the next."""
        return None

    def check_handled(self, start: object, classes: tuple[Any, ...], statement: str) -> Any:
        """Refuses what the body has staged when it may raise, at run time, what the statement catches in Python.

        Returns what a later check of the same body starts from.
        """

    # Lists and tuples of unknown length.

    def items_of(self, values: Any) -> Any:
        """The items of ``*values``: a tuple, or a value of this back end when only the run tells how many they are."""
        return (*values,)

    def joined(self, kind: type, parts: tuple[Any, ...]) -> Any:
        """A list or tuple of the items of some parts: tuples, and at least one value of `items_of`."""
        raise NotImplementedError

    def call_display(self, function: Callable[..., Any], parts: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Stages ``function(*parts[0], *parts[1], …, **keywords)``, with such parts."""
        raise NotImplementedError

    def unpack_starred(self, items: object, before: int, after: int) -> list[Any]:
        """Stages ``a, b, *c, d = items``: the values of the variables; of those beside ``*c`` the numbers are given."""
        raise NotImplementedError

    def check_pattern(self, subject: object) -> None:
        """Refuses a list of unknown length where a `case` looks at the items of a sequence."""

    # Items, attributes, variables.

    def get_item(self, container: Any, index: Any) -> Any:
        """``container[index]``, where either is staged."""
        return container[index]

    def set_item(self, value: object, container: object, index: object) -> Any:
        """``container[index] = value``; returns what the variable that held the container holds afterwards."""
        raise NotImplementedError

    def is_available(self, tensor: object) -> bool:
        """Whether a staged bool can be used in what is being traced now."""
        return False

    def decided(self, decision: object) -> Any:
        """The bool that a decision is when the graph runs (see `decisions`)."""
        raise NotImplementedError

    def assign_where(self, decision: object, target: object, source: object) -> None:
        """Makes ``target`` hold what ``source`` does where a decision holds.

        Both are objects of one kind: lists, dicts, or objects of a user's class.
        """
        raise NotImplementedError

    def get_array_item(self, array: Any, index: object) -> Any:
        """``array[index]``, for an array of NumPy, or what stands for one."""
        return array[index]

    def set_array_item(self, value: object, array: Any, index: object) -> None:
        """``array[index] = value``, which all names and views of the array see."""
        array[index] = value

    def has_no_attributes(self, value: object) -> bool:
        """Whether a staged value stands for one of Python that has no attributes to set."""
        return False

    def set_attribute(self, value: object, name: str, new: object) -> None:
        """``value.name = new``, for an array or for what stands for a value of Python."""
        setattr(value, name, new)

    def delete_attribute(self, value: object, name: str) -> None:
        """``del value.name``, for the same."""
        delattr(value, name)

    def set_in_element(self, value: object, container: object, place: object, array: Array, index: object) -> bool:
        """``container[place][index] = value``, if ``array``, which is there, is a copy of what a graph has there.

        Whether it is.
        """
        return False

    def get_attribute(self, tensor: Any, name: str) -> Any:
        """``tensor.name`` for a graph tensor that may stand for a Python number or string, or for an array."""
        return getattr(tensor, name)

    def update_array(self, operator: Callable[[Any, Any], Any], array: Array, value: object) -> Any:
        """``array op= value``; ``operator`` is the one that is not in place. Returns the array.

        NotImplemented where only Python is to do it.
        """
        return NotImplemented

    def changed_object(self, value: object) -> Any:
        """The object that a store into an attribute or item of a staged value is about to change."""
        return value

    def begin_update(self, item: object) -> None:
        """Called before an operator changes an item in place that is stored again where it has been."""

    def is_kept(self, obj: object, name: str) -> bool:
        """Whether it does nothing to give an attribute what it has."""
        return False

    def is_lasting(self, value: object) -> bool:
        """Whether a value of one of its types outlives the trace that made it, such as a variable."""
        return False

    def before_delete(self, obj: object, name: str) -> None:
        """Called before ``del obj.name``, which is to raise in a run in which there is no such attribute."""

    def module_variables(self, variables: dict[str, Any]) -> dict[str, Any]:
        """What ``globals()`` gives, if only a run knows what is in it: refused."""
        return variables

    def load(self, value: object, name: str) -> Any:
        """The value of a variable that may be undefined at run time, with a check."""
        return value

    # Calls and text.

    def replacement(self, function: object) -> Callable[..., Any] | None:
        """What to call in place of a Python built-in or library function while staging; ``None``: the function."""
        return None

    def watch_call(self, function: Any) -> Callable[..., Any]:
        """What to call in place of an unconverted function while staging, so that its mutations are seen."""
        return function

    def note_key(self, key: object) -> None:
        """Called before an object is looked up in a dict or set, or put into one, by methods of its class."""

    def recursive(self, function: FunctionType, form: Callable[..., Any]) -> Callable[..., Any]:
        """What to call in place of ``form``, the staged form of ``function``, in a staged body, where it may call
        itself on a staged condition."""
        return form

    def format_value(self, value: object, conversion: str | None, specification: object) -> Any:
        """The text of one value in an f-string: a staged string where the value, or a part of it, is staged."""
        raise NotImplementedError

    def percent(self, template: Any, values: Any) -> Any:
        """``template % values`` for a string; ``values``, or a part of them, may be staged."""
        return template % values

    def join_strings(self, parts: list[Any]) -> Any:
        """The concatenation of strings, of which at least one is staged."""
        raise NotImplementedError


_backends: list[Backend] = []
_PLAIN = {bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, range, type(None), FunctionType}


def register_backend(backend: Backend) -> None:
    """Adds a back end; it is asked after those that are already there."""
    _backends.append(backend)
    if not backend.counts_traces:
        open_traces.append(backend)
    owner_of.known.clear()


def backend_of(*values: object) -> Backend | None:
    """Returns the back end that owns one of the values, or `None` when all are plain Python."""
    for value in values:
        known = _known_owners.get(id(type(value)))
        found = known[0] if known is not None else owner_of(type(value))
        if found is not None:
            return found
        if open_forms and has_form(value):
            return _forms_owner()
    return None


def backend_of_array(value: object) -> Backend | None:
    """The back end that is tracing, for an array; None for all else, and where no graph is built."""
    return active() if open_traces and is_array(value) else None


def _forms_owner() -> Backend:
    """The back end whose staged forms lists and dicts have."""
    found = active()
    assert found is not None
    return found


@ByType
def owner_of(value_type: type) -> Backend | None:
    """Returns the back end that owns values of a type, or `None`."""
    # Python's own types are answered without asking anybody.
    if value_type in _PLAIN:
        return None
    return next((each for each in _backends if each.owns(value_type)), None)


_known_owners: Final = owner_of.known


def staging() -> bool:
    """Whether any back end is tracing on this thread."""
    if not open_traces:
        return False
    for each in _backends:  # noqa: SIM110 (a generator would cost more than the test)
        if each.staging():
            return True
    return False


@asked.ACTIVE.give
def active() -> Backend | None:
    """Returns the back end that is tracing on this thread."""
    for each in _backends:
        if each.staging():
            return each
    return None


LIBRARIES: Final = {"jax": "autograph.operators.jax.tracing", "torch": "autograph.operators.torch.tracing"}
"""Libraries that trace functions by themselves, each with the module that tells whether they do (`traces`, and
`is_read`: from bytecode), runs a converted function that they trace (`run`), and makes the form of one that they read
(`form_of`)."""
READ: Final = 2
"""The key of the form that a library reads, among the forms of a converted function."""
_loaded: dict[str, Any] = {}
_modules = sys.modules
_noted: WeakSet[Any] = WeakSet()


def beginning() -> int:
    """Whether a call of a converted function from outside is a part of a trace: of a graph, or of a library's own.

    `READ`: a library reads the code that asks.
    """
    if len(_modules) != seen.count:  # packages may offer back ends for what has been imported
        look(Backend, register_backend)
    if open_traces and staging():
        return True
    for name in LIBRARIES:
        if name in _modules:
            found = _tracing_library()
            return False if found is None else READ if found.is_read() else True
    return False


# For PyTorch's Dynamo, which reads the code around, and calls this: there its answer is a constant.
beginning._dynamo_marked_constant = True  # type: ignore[attr-defined]


def run(form: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Calls the staged form in such a call."""
    found = None if staging() else _tracing_library()
    return form(*arguments, **keywords) if found is None else found.run(form, arguments, keywords)


@NOTE.give
def note(original: Any) -> None:
    """Notes a function that has been converted: libraries that read code add a form to its ``forms``."""
    _noted.add(original)
    for each in _loaded.values():
        _add_form(each, original)


def _add_form(library: Any, original: Any) -> None:
    form = library.form_of(original)
    if form is not None:
        original.forms[READ] = form


def _tracing_library() -> Any:
    for name, module in LIBRARIES.items():
        found = _loaded.get(name)
        if found is None and name in _modules and hasattr(_modules[name], "__version__"):  # it is not being loaded
            found = _loaded[name] = import_module(module)
            for each in _noted:
                _add_form(found, each)
        if found is not None and (found.traces() or found.is_read()):
            return found
    return None

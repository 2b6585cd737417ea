"""Every exception a user can catch.

>>> error = ConversionError("`yield` can't be staged", file="f.py", line=3, function="f", remedy="return a list")
>>> print(error)
`yield` can't be staged
  File "f.py", line 3, in f
Remedy: return a list
"""

from __future__ import annotations

import linecache
from typing import Self


class AutographError(Exception):
    """The base of all errors that autograph raises on purpose.

    The text holds what happened, the user's file, line and function (with the source line, when it can be
    read), and what to write instead; each part is also an attribute, ``None`` when it is not known.
    """

    source_is_known = True
    error_code: int | None = None
    """TensorFlow's code of the error, one of the constants below; None for errors that TensorFlow doesn't have."""

    def __init__(
        self,
        message: str | None,
        op: object = None,
        text: str | None = None,
        *,
        file: str | None = None,
        line: int | None = None,
        function: str | None = None,
        construct: str | None = None,
        remedy: str | None = None,
    ) -> None:
        # TensorFlow's classes take a node, an operation and then the text.
        self.message = text if text is not None else str(message)
        self.node_def = message if text is not None else None
        self.op = op
        self.file = file
        self.line = line
        self.function = function
        self.construct = construct
        self.remedy = remedy
        super().__init__(self._text())

    def at(self, file: str, line: int | None, function: str | None) -> Self:
        """This error, with the user's location; one that it has already stays."""
        if self.file is None:
            self.file, self.line, self.function = file, line, function
            self.args = (self._text(),)
        return self

    def about(self, operation: str) -> Self:
        """This error, with the name of the operation in front of its text unless the text has it."""
        if operation not in self.message:
            self.message = f"{operation}: {self.message}"
            self.args = (self._text(),)
        return self

    def inside(self, operation: str, path: str) -> Self:
        """This error of an operation, which is named by its path through the name scopes instead."""
        self.message = f"{path}: {self.message.removeprefix(f'{operation}: ')}"
        self.args = (self._text(),)
        return self

    def _text(self) -> str:
        parts = [self.message]
        if self.file is not None:
            where = f'  File "{self.file}"'
            where += f", line {self.line}" if self.line is not None else ""
            parts.append(where + (f", in {self.function}" if self.function else ""))
            source = linecache.getline(self.file, self.line).strip() if self.line else ""
            if source and self.source_is_known:
                parts.append(f"    {source}")
        if self.remedy is not None:
            parts.append(f"Remedy: {self.remedy}")
        return "\n".join(parts)


class ConversionError(AutographError):
    """A function can't be converted; it was left as it is."""


class SourceNotFoundError(ConversionError):
    """The source of a function can't be found, or has changed since the function was made."""

    # What is found at that line now is something else.
    source_is_known = False


class UnsupportedConstructError(ConversionError):
    """A function holds a construct that can't be converted."""


class StagingError(AutographError):
    """Code that depends on a graph tensor can't become a graph with the meaning that Python gives it."""


class StagedValueError(StagingError, TypeError):
    """A graph tensor was used where Python needs a value now: as a bool, int, float, iterator or array."""


class StagedTypeError(StagingError, TypeError):
    """A graph tensor does not fit what Python does with it: a loop over a scalar, `range` of a float."""


class StagedAttributeError(StagingError, AttributeError):
    """A graph tensor has no such attribute, though the Python value that it stands for does; or an object lacks it."""


class StagedRecursionError(StagingError, RecursionError):
    """A function calls itself without end, or nests too deeply, while it is traced."""

    is_nesting = False
    """Whether no line calls itself again and again: the code is nested deep."""


class InaccessibleTensorError(StagingError, ValueError):
    """A graph tensor is used outside the graph that it belongs to."""


class BranchMismatchError(StagingError, TypeError):
    """The branches of a staged conditional, or the turns of a staged loop, leave values that can't be merged."""


class MutationError(StagingError):
    """A staged branch or loop changes a Python object in a way that a graph can't carry."""


class UndefinedVariableError(StagingError, UnboundLocalError):
    """A variable is read that a staged branch or loop left undefined."""


class GraphError(AutographError):
    """A graph is not valid: the checker found a node with wrong inputs, types or order."""


class InvalidArgumentError(AutographError, ValueError):
    """An argument's value, dtype or shape does not fit the operation or the signature."""

    error_code = 3


class OutOfRangeError(AutographError, IndexError):
    """An iterator is at its end, or an index lies outside a list or a tensor (`IndexOutOfRangeError`)."""

    error_code = 11


class InvalidTypeError(InvalidArgumentError, TypeError):
    """An argument's type does not fit: no tensor can be made of it, dtypes have nothing in common."""


class IndexOutOfRangeError(InvalidArgumentError, OutOfRangeError):
    """An index lies outside a tensor: an InvalidArgumentError as in TensorFlow, and an IndexError as in Python."""

    error_code = 3


class InvalidIndexError(IndexOutOfRangeError, InvalidTypeError):
    """A tensor has no such items: it is a scalar, or what stands in the brackets is no index."""


class FailedPreconditionError(AutographError, RuntimeError):
    """The system is not in the state that an operation needs: a tape was used up, a writer or session is closed."""

    error_code = 9


class NoGradientError(AutographError, LookupError):
    """An operation has no gradient."""


class SignatureError(InvalidTypeError):
    """The arguments of a call do not fit the function's parameters or its input signature."""


class MissingExtraError(AutographError, ImportError):
    """A feature needs an optional library that is not installed; the text says which extra brings it."""


class PluginError(AutographError, ImportError):
    """A plug-in of another package can't be used; the text names the package."""


class SavedFileError(AutographError, OSError):
    """A saved file or model can't be read: it is missing, damaged, not of the format, or of a newer version."""

    error_code = 15


class SavingError(AutographError, ValueError):
    """A function or an object can't be saved; the text names the user's line and what to do instead."""


# TensorFlow's other classes, to be raised and caught by users' code.


class CancelledError(AutographError):
    """An operation was cancelled."""

    error_code = 1


class UnknownError(AutographError):
    """An error of another system, of which nothing more is known."""

    error_code = 2


class DeadlineExceededError(AutographError):
    """The time was up before an operation had ended."""

    error_code = 4


class NotFoundError(AutographError):
    """Something that was asked for, such as a file, is not there."""

    error_code = 5


class MissingFileError(SavedFileError, NotFoundError, FileNotFoundError):
    """A saved file or model is not there."""

    error_code = 5


class AlreadyExistsError(AutographError):
    """Something that was to be made, such as a file, is there already."""

    error_code = 6


class PermissionDeniedError(AutographError):
    """The caller may not do this."""

    error_code = 7


class ResourceExhaustedError(AutographError):
    """Memory or another resource has run out."""

    error_code = 8


class AbortedError(AutographError):
    """An operation was given up, typically because others ran at the same time."""

    error_code = 10


class UnimplementedError(AutographError, NotImplementedError):
    """An operation does not exist, or not for these arguments; a class lacks a method that it has to define."""

    error_code = 12


class InternalError(AutographError):
    """Something that always holds does not: an error in the system itself."""

    error_code = 13


class UnavailableError(AutographError):
    """A system can't be reached at the moment."""

    error_code = 14


class DataLossError(AutographError):
    """Data is lost or damaged."""

    error_code = 15


class UnauthenticatedError(AutographError):
    """The caller has not said who it is."""

    error_code = 16


OpError = AutographError
OperatorNotAllowedInGraphError = StagedValueError

OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED = range(8)
RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL = range(8, 14)
UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED = range(14, 17)

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

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        function: str | None = None,
        construct: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.message = message
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
    """A graph tensor has no such attribute, though the Python value that it stands for does."""


class StagedRecursionError(StagingError, RecursionError):
    """A function calls itself without end, or nests too deeply, while it is traced."""


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


class OutOfRangeError(AutographError, IndexError):
    """An index lies outside a tensor."""


class InvalidTypeError(InvalidArgumentError, TypeError):
    """An argument's type does not fit: no tensor can be made of it, dtypes have nothing in common."""


class SignatureError(InvalidTypeError):
    """The arguments of a call do not fit the function's parameters or its input signature."""


class MissingExtraError(AutographError, ImportError):
    """A feature needs an optional library that is not installed; the text says which extra brings it."""


class SavedFileError(AutographError, OSError):
    """A saved file or model can't be read: it is missing, damaged, not of the format, or of a newer version."""


class SavingError(AutographError, ValueError):
    """A function or an object can't be saved; the text names the user's line and what to do instead."""

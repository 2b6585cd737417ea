"""The errors for files that can't be read."""

from __future__ import annotations

from autograph.errors import SavedFileError

__all__ = ["damaged_error", "newer_version_error"]


def damaged_error(message: str) -> SavedFileError:
    """The error for a file that does not hold what was written."""
    return SavedFileError(message, remedy="copy it again from where it is whole, or save it anew")


def newer_version_error(name: str, version: int, known: int) -> SavedFileError:
    """The error for a file that a later version of the project wrote."""
    return SavedFileError(
        f"{name} has version {version} of its format, this version of autograph reads up to version {known}",
        remedy="install a newer version of autograph",
    )

"""Compiled code on disk, in the folder that ``AUTOGRAPH_NATIVE_CACHE`` names, by content: off unless it is set.

A file is named by a digest of all that its code depends on: the text that was compiled, the processor, the options and
the version of LLVM, and the version of this module. It begins with a digest of its content: one that is damaged is as
good as none, and written anew. Nothing is ever deleted.

Loading a file means running it. So the folder and the file must belong to the user, and nobody else may be able to
write to them; otherwise a warning says so, and nothing is read or written. Where files have no owners as POSIX knows
them, on Windows, there is no cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
import warnings

from autograph.settings import settings

_MAGIC = b"autograph machine code 1\n"
_warned: set[str] = set()


def key_of(*parts: str) -> str:
    """The name for code that depends on these texts."""
    digest = hashlib.sha256(_MAGIC)
    for part in parts:
        digest.update(f"{len(part)}\n{part}".encode())
    return digest.hexdigest()


def load(key: str) -> bytes | None:
    """The code of a name; None when there is none that can be trusted."""
    folder = _folder()
    if folder is None:
        return None
    try:
        file = os.open(key, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder)
    except OSError:
        return None
    finally:
        os.close(folder)
    with os.fdopen(file, "rb") as stream:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or not _is_private(status):
            _warn(f"{settings.native_cache}/{key} is not used: others can write to it")
            return None
        content = stream.read()
    start = len(_MAGIC) + 32
    code = content[start:]
    return code if content[:start] == _MAGIC + _digest(key, code) else None


def store(key: str, code: bytes) -> None:
    """Write code under a name, all of it or nothing. What can't be written is not."""
    folder = _folder()
    if folder is None:
        return
    name = f"{key}.{secrets.token_hex(8)}"
    try:
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        try:
            with os.fdopen(file, "wb") as stream:
                stream.write(_MAGIC + _digest(key, code) + code)
            os.rename(name, key, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=folder)
    except OSError:
        pass
    finally:
        os.close(folder)


def _digest(key: str, code: bytes) -> bytes:
    return hashlib.sha256(key.encode() + code).digest()


def _folder() -> int | None:
    """A descriptor of the folder; None when there is to be no cache, or it can't be trusted."""
    path = settings.native_cache
    if not path:
        return None
    if not hasattr(os, "geteuid"):
        _warn("AUTOGRAPH_NATIVE_CACHE is not used: files have no owners here")
        return None
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        _warn(f"AUTOGRAPH_NATIVE_CACHE={path} is not used: {error.strerror}")
        return None
    if not _is_private(os.fstat(folder)):
        os.close(folder)
        _warn(f"AUTOGRAPH_NATIVE_CACHE={path} is not used: others can write to it")
        return None
    return folder


def _is_private(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _warn(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        warnings.warn(message, RuntimeWarning, stacklevel=2)

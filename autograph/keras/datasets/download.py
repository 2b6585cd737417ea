"""`tf.keras.utils.get_file`: a file from an address, kept in a folder, and unpacked.

A file takes its name when it is whole, and its hash is right: one that is there was never given up half-way.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from http.client import HTTPException
from typing import Any, NamedTuple

from autograph.errors import InvalidArgumentError, UnavailableError

from ..fit.progress import Progbar
from .archives import extract as extract_archive

__all__ = ["get_file"]

_PIECE = 1 << 16
_PATIENCE = 60
"""The seconds after which a server that says nothing is given up."""


def get_file(
    fname: str | os.PathLike[str] | None = None, origin: str | None = None, untar: bool = False,
    md5_hash: str | None = None, file_hash: str | None = None, cache_subdir: str = "datasets",
    hash_algorithm: str = "auto", extract: bool = False, archive_format: str | Sequence[str] | None = "auto",
    cache_dir: str | os.PathLike[str] | None = None, force_download: bool = False
) -> str:  # fmt: skip
    """The path of a file that is loaded from an address, unless it is in the cache already.

    Parameters
    ----------
    fname: the name in the cache; that of the address when left out. With ``extract`` it names the folder: of a name
        with a dot that is the part before it with ``_extracted``.
    origin: the address.
    untar, md5_hash: older words for ``extract`` of a tar archive, and for ``file_hash``.
    file_hash: the hash that the file must have; one that is in the cache with another is loaded anew.
    cache_subdir: the folder in the cache, or another one by its whole path.
    hash_algorithm: `"sha256"`, `"md5"`, or `"auto"`: by the hash's length.
    extract: whether to unpack the file; the folder is returned then.
    archive_format: `"tar"`, `"zip"`, several of them, or `"auto"` for both.
    cache_dir: the cache: ``KERAS_HOME`` or ``~/.keras`` when left out; in the system's folder of temporary files where
        that can't be written.
    force_download: load also what is in the cache.

    Raises `UnavailableError` when the address can't be read, `InvalidArgumentError` for a file with another hash, one
    that is no archive (Keras warns) and archives with parts that would lie outside of their folder (Keras leaves these
    out).
    """
    if origin is None:
        raise InvalidArgumentError('Please specify the "origin" argument (URL of the file to download).')
    if hash_algorithm not in ("auto", "md5", "sha256"):
        raise InvalidArgumentError(f'hash_algorithm must be "auto", "md5" or "sha256", not {hash_algorithm!r}')
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    unpacks = extract or untar
    places = _places(_folder(cache_dir, cache_subdir), None if fname is None else os.fspath(fname), origin, unpacks)
    if force_download or not _is_there(places.file, file_hash, hash_algorithm):
        _download(origin, places.file, file_hash, hash_algorithm)
    if not unpacks:
        return places.file
    extract_archive(places.file, places.folder, "tar" if untar else archive_format)
    return places.folder


def _folder(cache: str | os.PathLike[str] | None, part: str) -> str:
    """The folder for files, which is made."""
    home = os.environ.get("KERAS_HOME") or os.path.join("~", ".keras")
    folder = os.path.join(os.path.expanduser(os.fspath(cache) if cache is not None else home), part)
    try:
        os.makedirs(folder, exist_ok=True)
        is_usable = os.access(folder, os.W_OK)
    except OSError:
        is_usable = False
    if not is_usable:
        folder = os.path.join(tempfile.gettempdir(), ".keras", part)
        os.makedirs(folder, exist_ok=True)
    return folder


class _Places(NamedTuple):
    file: str
    folder: str
    """Where the file is unpacked."""


def _places(folder: str, name: str | None, origin: str, unpacks: bool) -> _Places:
    if name and (os.sep in name or name in (".", "..")):
        raise InvalidArgumentError(
            f"fname is a name without folders, not {name!r}", remedy="name the folder by cache_dir and cache_subdir"
        )
    given = name or os.path.basename(urllib.parse.urlsplit(origin).path)
    if given in ("", ".", ".."):
        raise InvalidArgumentError(f"the address {origin!r} ends with no name of a file", remedy="name it by fname")
    if not unpacks:
        return _Places(os.path.join(folder, given), folder)
    if name and "." in name:
        return _Places(os.path.join(folder, name), os.path.join(folder, f"{name.partition('.')[0]}_extracted"))
    return _Places(os.path.join(folder, f"{given}_archive"), os.path.join(folder, given))


def _is_there(path: str, wanted: str | None, algorithm: str) -> bool:
    if not os.path.exists(path):
        return False
    if wanted is None or _hash_of(path, wanted, algorithm) == wanted:
        return True
    print(f"{path} is not the file with the hash {wanted}: it is loaded anew.")
    return False


def _hash_of(path: str, wanted: str, algorithm: str) -> str:
    name = algorithm if algorithm != "auto" else "sha256" if len(wanted) == 64 else "md5"
    with open(path, "rb") as file:
        return hashlib.file_digest(file, name).hexdigest()


def _download(origin: str, path: str, wanted: str | None, algorithm: str) -> None:
    print(f"Downloading data from {origin}")
    folder, name = os.path.split(path)
    with tempfile.NamedTemporaryFile(dir=folder, prefix=name, suffix=".part", delete=False) as part:
        try:
            _copy(origin, part, path)
            part.close()
            if wanted is not None and _hash_of(part.name, wanted, algorithm) != wanted:
                raise InvalidArgumentError(
                    f"what {origin} gave does not have the hash {wanted}: it is damaged, or another file",
                    remedy="try again, or ask who gave you the hash",
                )
            os.chmod(part.name, 0o644)
            os.replace(part.name, path)
        except BaseException:
            part.close()
            os.unlink(part.name)
            raise


def _copy(origin: str, file: Any, path: str) -> None:
    """Writes what an address gives into a file; all of it, or an error."""
    try:
        with urllib.request.urlopen(origin, timeout=_PATIENCE) as answer:
            length = answer.headers.get("Content-Length")
            total = int(length) if length and length.isdigit() else None
            bar, done = Progbar(total), 0
            while piece := answer.read(_PIECE):
                file.write(piece)
                done += len(piece)
                bar.update(done, finalize=False)
            bar.update(done, finalize=True)
    except urllib.error.HTTPError as error:
        raise _unavailable(origin, f"{error.code} -- {error.reason}", path) from None
    except (urllib.error.URLError, HTTPException, ConnectionError, TimeoutError) as error:
        raise _unavailable(origin, str(getattr(error, "reason", error) or type(error).__name__), path) from None
    if total is not None and done != total:
        raise _unavailable(origin, f"it ended after {done} of {total} bytes", path)


def _unavailable(origin: str, reason: str, path: str) -> UnavailableError:
    return UnavailableError(
        f"URL fetch failure on {origin}: {reason}",
        remedy=f"try again, or copy the file from where there is a network to {path}",
    )

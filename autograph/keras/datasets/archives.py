"""Archives (tar, zip) unpacked into a folder, which nothing leaves."""

from __future__ import annotations

import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Sequence

from autograph.errors import InvalidArgumentError, UnimplementedError

__all__ = ["extract"]


def extract(path: str, folder: str, formats: str | Sequence[str] | None = "auto") -> None:
    """Unpack an archive into a folder: all of it, or nothing when a part of it would lie outside.

    ``formats`` are `"tar"` (also compressed), `"zip"`, several of these, or `"auto"` for both. Raises
    `InvalidArgumentError` for a file of another format, a damaged one, and for parts outside; `UnimplementedError` for
    formats of other names.
    """
    known = ("tar", "zip") if formats == "auto" else (formats,) if isinstance(formats, str) else tuple(formats or ())
    for each in known:
        if each not in ("tar", "zip"):
            raise UnimplementedError(f"archives are of the format tar or zip, not {each!r}")
        if (tarfile.is_tarfile if each == "tar" else zipfile.is_zipfile)(path):
            try:
                return (_extract_tar if each == "tar" else _extract_zip)(path, folder)
            except (tarfile.TarError, zipfile.BadZipFile, EOFError, lzma.LZMAError, zlib.error):
                raise InvalidArgumentError(f"Could not extract archive: {path} is damaged") from None
    raise InvalidArgumentError(f"Could not extract archive: {path} is of none of the formats {', '.join(known)}")


def _extract_zip(path: str, folder: str) -> None:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            _check_inside(name, path, folder)
        archive.extractall(folder)


def _extract_tar(path: str, folder: str) -> None:
    has_filter = hasattr(tarfile, "data_filter")  # Python 3.11.4; it looks where links lead by way of links
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            _check_member(member, path, folder, has_filter)
        if not has_filter:
            return archive.extractall(folder)
        try:
            archive.extractall(folder, filter="data")
        except tarfile.FilterError as error:
            raise _outside(error.tarinfo.name, path) from None


def _check_member(member: tarfile.TarInfo, path: str, folder: str, takes_links: bool) -> None:
    is_link = member.issym() or member.islnk()
    if not (member.isfile() or member.isdir() or (takes_links and is_link)):
        raise _outside(member.name, path)
    _check_inside(member.name, path, folder)
    if is_link:
        start = os.path.dirname(member.name) if member.issym() else ""
        _check_inside(os.path.join(start, member.linkname), path, folder)


def _check_inside(name: str, path: str, folder: str) -> None:
    whole = os.path.realpath(folder)
    target = os.path.realpath(os.path.join(whole, name))
    if target != whole and not target.startswith(whole + os.sep):
        raise _outside(name, path)


def _outside(name: str, path: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{path} was not unpacked: {name!r} in it would lie outside of the folder, or is no file",
        remedy="take the archive from somebody whom you trust",
    )

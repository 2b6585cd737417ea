"""`tf.keras.utils.get_file`: what is in the cache is whole, and what is unpacked stays in its folder."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import tempfile
import threading
import urllib.request
import zipfile

import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, UnavailableError

get_file = tf.keras.utils.get_file
CONTENT = bytes(range(256)) * 1000
SHA, MD5 = hashlib.sha256(CONTENT).hexdigest(), hashlib.md5(CONTENT).hexdigest()


def files(folder):
    """All files in a folder, with the folders in it."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", ["data.bin", "unsized-data.bin"])
def test_a_file_is_loaded_once(served, address, cache, asked, capsys, name):
    (served / "data.bin").write_bytes(CONTENT)
    path = get_file(origin=address + name)
    assert path == str(cache / "datasets" / name) and open(path, "rb").read() == CONTENT
    shown = capsys.readouterr().out
    assert f"Downloading data from {address}{name}" in shown and "256000/" in shown
    assert get_file(origin=address + name) == path and asked == [name] and capsys.readouterr().out == ""
    assert get_file(origin=address + name, force_download=True) == path and asked == [name, name]
    assert files(cache) == [f"datasets/{name}"] and os.stat(path).st_mode & 0o777 == 0o644


def test_names_and_folders(served, address, cache, tmp_path):
    (served / "data.bin").write_bytes(CONTENT)
    origin = address + "data.bin?version=2"
    assert get_file("own.bin", origin) == str(cache / "datasets" / "own.bin")
    assert get_file(origin=origin, cache_subdir="other") == str(cache / "other" / "data.bin")
    assert get_file(origin=origin, cache_dir=tmp_path / "own") == str(tmp_path / "own" / "datasets" / "data.bin")
    whole = get_file(origin=origin, cache_subdir=str(tmp_path / "whole"))
    assert whole == str(tmp_path / "whole" / "data.bin")


def test_a_cache_that_can_not_be_made(served, address, tmp_path, monkeypatch):
    (served / "data.bin").write_bytes(CONTENT)
    (tmp_path / "file").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    path = get_file(origin=address + "data.bin", cache_dir=str(tmp_path / "file"))
    assert path == str(tmp_path / "temporary" / ".keras" / "datasets" / "data.bin")


@pytest.mark.parametrize("options", [{"file_hash": SHA}, {"file_hash": MD5}, {"md5_hash": MD5},
                                     {"file_hash": SHA, "hash_algorithm": "sha256"}])  # fmt: skip
def test_hashes(served, address, cache, asked, options, capsys):
    (served / "data.bin").write_bytes(CONTENT)
    path = get_file(origin=address + "data.bin", **options)
    open(path, "wb").write(b"damaged")
    assert get_file(origin=address + "data.bin", **options) == path and open(path, "rb").read() == CONTENT
    assert "it is loaded anew" in capsys.readouterr().out and len(asked) == 2


def test_a_file_with_another_hash_is_not_kept(served, address, cache):
    (served / "data.bin").write_bytes(CONTENT)
    with pytest.raises(ValueError, match="does not have the hash"):
        get_file(origin=address + "data.bin", file_hash="0" * 64)
    assert files(cache) == []


def test_what_ends_early_is_not_kept(served, address, cache):
    (served / "data.bin").write_bytes(CONTENT)
    with pytest.raises(UnavailableError, match="ended after 128000 of 256000 bytes"):
        get_file("data.bin", address + "cut-data.bin")
    assert files(cache) == []
    assert open(get_file("data.bin", address + "data.bin"), "rb").read() == CONTENT


def test_a_failed_load_keeps_what_was_there(served, address, cache):
    (served / "data.bin").write_bytes(CONTENT)
    path = get_file(origin=address + "data.bin")
    (served / "data.bin").unlink()
    with pytest.raises(UnavailableError, match="404 -- File not found"):
        get_file(origin=address + "data.bin", force_download=True)
    assert open(path, "rb").read() == CONTENT and files(cache) == ["datasets/data.bin"]


def test_no_network(cache):
    with pytest.raises(UnavailableError, match="URL fetch failure on http://127.0.0.1:9/data.bin: .*refused") as caught:
        get_file(origin="http://127.0.0.1:9/data.bin")
    assert f"copy the file from where there is a network to {cache}/datasets/data.bin" in str(caught.value)
    assert files(cache) == []


def test_an_interrupted_load_leaves_nothing(served, address, cache, monkeypatch):
    (served / "data.bin").write_bytes(CONTENT)

    class Interrupted(io.BytesIO):
        headers = {"Content-Length": "1000"}
        rest = [b"x" * 100]

        def read(self, count):
            if not self.rest:
                raise KeyboardInterrupt
            return self.rest.pop()

    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: Interrupted())
    with pytest.raises(KeyboardInterrupt):
        get_file(origin=address + "data.bin")
    assert files(cache) == []


def test_several_threads_load_one_file(served, address, cache):
    (served / "data.bin").write_bytes(CONTENT)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(open(get_file(origin=address + "data.bin"), "rb").read()))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [CONTENT] * 4 and files(cache) == ["datasets/data.bin"]


# Archives


def packed(kind, members):
    """The bytes of an archive with members: bytes, or tar's own descriptions."""
    file = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(file, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
    else:
        with tarfile.open(fileobj=file, mode=kind) as archive:
            for name, content in members.items():
                info = content if isinstance(content, tarfile.TarInfo) else tarfile.TarInfo(name)
                info.size = len(content) if isinstance(content, bytes) else 0
                archive.addfile(info, io.BytesIO(content) if isinstance(content, bytes) else None)
    return file.getvalue()


def link(name, target, kind=tarfile.SYMTYPE):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize("kind", ["zip", "w", "w:gz", "w:bz2", "w:xz"])
def test_archives(served, address, cache, kind):
    (served / "data.x").write_bytes(packed(kind, {"folder/a.txt": b"a", "b.txt": b"b"}))
    folder = get_file(origin=address + "data.x", extract=True)
    assert folder == str(cache / "datasets" / "data.x") and files(cache / "datasets" / "data.x") == [
        "b.txt",
        "folder/a.txt",
    ]
    named = get_file("own", address + "data.x", extract=True)
    assert named == str(cache / "datasets" / "own") and os.path.exists(cache / "datasets" / "own_archive")
    dotted = get_file("own.tar.gz", address + "data.x", extract=True)
    assert dotted == str(cache / "datasets" / "own_extracted")
    if kind == "w:gz":
        os.remove(os.path.join(folder, "b.txt"))
        assert files(cache / "datasets" / os.path.basename(get_file(origin=address + "data.x", untar=True))) == [
            "b.txt", "folder/a.txt"]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "members"),
    [("zip", {"../out": b"x"}), ("zip", {"/tmp/autograph-out": b"x"}), ("w", {"../out": b"x"}),
     ("w", {"a/../../out": b"x"}), ("w", {"/tmp/autograph-out": b"x"}), ("w", {"l": link("l", "..")}),
     ("w", {"l": link("l", "/etc/passwd")}), ("w", {"l": link("l", "../out", tarfile.LNKTYPE)}),
     ("w", {"l": link("l", "x"), "p": link("p", "", tarfile.FIFOTYPE)}),
     ("w", {"l": link("a/l", "b"), "m": link("a/b", "../.."), "out": link("a/l/out", "x")})],
)  # fmt: skip
def test_archives_that_would_leave_their_folder(served, address, cache, kind, members):
    """Nothing of them is unpacked."""
    (served / "data").write_bytes(packed(kind, {"good": b"x", **members}))
    with pytest.raises(InvalidArgumentError, match="would lie outside"):
        get_file(origin=address + "data", extract=True)
    assert files(cache) == ["datasets/data_archive"] and not os.path.exists("/tmp/autograph-out")


def test_links_inside_of_an_archive(served, address, cache):
    (served / "data").write_bytes(
        packed("w", {"a/b": b"x", "l": link("l", "a/b"), "h": link("h", "a/b", tarfile.LNKTYPE)})
    )
    folder = get_file(origin=address + "data", extract=True)
    assert {name: open(os.path.join(folder, name)).read() for name in ("a/b", "l", "h")} == {
        "a/b": "x",
        "l": "x",
        "h": "x",
    }


def test_what_is_no_archive(served, address, cache):
    (served / "data").write_bytes(b"text")
    with pytest.raises(InvalidArgumentError, match="Could not extract archive"):
        get_file(origin=address + "data", extract=True)
    (served / "short").write_bytes(packed("w:gz", {"a": bytes(range(256)) * 100})[:-100])
    with pytest.raises(InvalidArgumentError, match="short_archive is damaged"):
        get_file(origin=address + "short", extract=True)
    (served / "zipped").write_bytes(packed("zip", {"a": b"x"}))
    with pytest.raises(InvalidArgumentError, match="of none of the formats tar"):
        get_file(origin=address + "zipped", extract=True, archive_format="tar")
    assert os.listdir(get_file(origin=address + "zipped", extract=True, archive_format=["zip"])) == ["a"]

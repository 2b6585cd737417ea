"""A real interactive interpreter on a pseudo-terminal, and the interpreters of this machine."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import pty
import shutil
import site
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[2]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
PATIENCE = 120  # seconds for what takes less than one

_PASTE, _PASTED = "\x1b[200~", "\x1b[201~"
_PROBE = "import numpy, gast, astunparse, sys; print('%d.%d' % sys.version_info[:2])"


@functools.cache
def interpreter(version: str) -> tuple[str | None, str]:
    """The Python of a version that has what autograph needs, the running one first; or None, and why there is none."""
    if version == "{}.{}".format(*sys.version_info[:2]):
        return sys.executable, ""
    name = f"python{version}"
    beside = sorted(Path(sys.prefix).parent.glob(f"*/bin/{name}"))  # environments beside the one in use
    known = [shutil.which(name), *beside, *sorted((Path.home() / ".pyenv" / "versions").glob(f"*/bin/{name}"))]
    reasons = []
    for path in dict.fromkeys(str(each) for each in known if each is not None):
        found = subprocess.run([path, "-c", _PROBE], capture_output=True, text=True, cwd=ROOT)
        if found.stdout.strip() == version:
            return path, ""
        reasons.append(f"{path}: {(found.stderr.strip() or found.stdout.strip()).splitlines()[-1]}")
    return None, "; ".join(reasons) or f"there is no {name}"


def prompts(version: str) -> list[dict[str, str]]:
    """The prompts that a Python has, each as what the environment has to say for it."""
    basic = {"PYTHON_BASIC_REPL": "1"}
    return [basic] if version in ("3.11", "3.12") else [{}, basic]


class Terminal:
    """An interactive interpreter; what is typed into it is run, and what that writes is given back."""

    def __init__(self, python: str, folder: Path, environment: dict[str, str], *options: str) -> None:
        self._pastes = not environment  # several lines at once, as the prompt of Python 3.13 takes them
        self._terminal, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self._transcript = folder / "transcript"
        self._transcript.touch()
        own = {"TERM": "xterm", "HOME": str(folder), "PYTHONUSERBASE": site.getuserbase(), "PYTHON_COLORS": "0",
               "PYTHONPATH": str(ROOT)}  # fmt: skip
        inherited = {key: value for key, value in os.environ.items() if key not in ("PYTHONSTARTUP", "INPUTRC")}
        self._process = subprocess.Popen(
            [python, "-q", *options], stdin=end, stdout=end, stderr=end, cwd=folder,
            env={**inherited, **own, **environment}, start_new_session=True,
        )  # fmt: skip
        os.close(end)
        self._shown = b""
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self._marks = 0
        self._wait(lambda: b">>> " in self._shown)
        opened = f"import sys; transcript = open({str(self._transcript)!r}, 'w', buffering=1); "
        if "code" in options:  # it asks by `input`, which reads from a terminal only while stdout is one
            self.type(opened + "sys.displayhook = lambda value: value is not None and print(value, file=transcript)")
        else:
            self.type(opened + "sys.stdout = sys.stderr = transcript")

    def type(self, text: str) -> str:
        """Types or pastes a statement, and returns what it writes."""
        before = self._transcript.stat().st_size if self._marks else 0
        self._marks += 1
        mark = f"mark {self._marks}"
        self._send(text if "\n" not in text.rstrip() else text.rstrip("\n") + "\n")
        self._send(f"_ = transcript.write({mark!r} + chr(10))")
        self._wait(lambda: f"{mark}\n" in self._transcript.read_text()[before:])
        return self._transcript.read_text()[before:].removesuffix(f"{mark}\n")

    def _send(self, text: str) -> None:
        text = f"{_PASTE}{text}{_PASTED}\r" if self._pastes else text + "\n"
        os.write(self._terminal, text.encode())

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # the terminal is gone when the process ends
            while piece := os.read(self._terminal, 4096):
                self._shown += piece

    def _wait(self, done: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            assert self._process.poll() is None and time.monotonic() < end, self._shown.decode()
            time.sleep(0.01)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)
        self._reader.join()

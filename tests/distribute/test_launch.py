"""`python -m autograph launch`: processes that are watched, and started again together."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from autograph.__main__ import main

PROGRAM = """
import json, os, signal, sys, time
config = json.loads(os.environ["TF_CONFIG"])
index, attempt = config["task"]["index"], int(os.environ["AUTOGRAPH_LAUNCH_ATTEMPT"])
print(index, attempt, len(set(config["cluster"]["worker"])), sys.argv[1:])
print("an error of", index, file=sys.stderr)
how = sys.argv[1]
if how == "fails once" and index == 1 and attempt == 0:
    sys.exit(3)
if how == "is killed" and index == 1:
    os.kill(os.getpid(), signal.SIGKILL)
if how == "devices":
    print(os.environ["XLA_FLAGS"])
if how == "waits" or index == 0 and (how == "is killed" or how == "fails once" and attempt == 0):
    if len(sys.argv) > 2:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("process", os.getpid())
    time.sleep(60)
"""


@pytest.fixture
def launched(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    def run(*arguments: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "autograph", "launch", "--processes", "2", *options, str(program), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=100, env=_environment())

    return run


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ("TF_CONFIG", "XLA_FLAGS")}


def test_lines_come_with_their_process(launched: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    found = launched("ends", "-x")
    assert found.returncode == 0
    assert sorted(found.stdout.splitlines()) == [f"[worker {i}] {i} 0 2 ['ends', '-x']" for i in (0, 1)]
    assert sorted(found.stderr.splitlines()) == [f"[worker {i}] an error of {i}" for i in (0, 1)]


def test_all_are_started_again_when_one_fails(launched: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    found = launched("fails once")
    assert found.returncode == 0
    told = [(0, 1), (1, 0), (1, 1)]  # the other may be stopped before it has told anything
    assert set(found.stdout.splitlines()) >= {f"[worker {i}] {i} {attempt} 2 ['fails once']" for i, attempt in told}
    assert re.search(r"worker 1 has ended with code 3, \d+\.\d s after all were started; the others", found.stderr)
    assert "all are started again: restart 1 of 3" in found.stderr


@pytest.mark.parametrize("stubborn", [(), ("stubborn",)])
def test_there_is_a_limit(launched: Callable[..., subprocess.CompletedProcess[str]], stubborn: tuple[str, ...]) -> None:
    found = launched("is killed", *stubborn, options=("--max-restarts", "1", "--grace", "0.5"))
    assert found.returncode == 128 + signal.SIGKILL
    assert found.stderr.count("worker 1 was ended by SIGKILL") == 2
    assert found.stderr.endswith("autograph launch: given up after 1 restart\n")


def test_devices_and_files(launched: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    found = launched("devices", options=("--devices-per-process", "3", "--logs", str(folder)))
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
    assert "--xla_force_host_platform_device_count=3\n" in (folder / "worker-1.log").read_text()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_no_process_outlives_the_launcher(number: signal.Signals, code: int, tmp_path: Path) -> None:
    if number == signal.SIGKILL and sys.platform != "linux":
        pytest.skip("only Linux ends processes with the one that started them")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "autograph", "launch", "--processes", "2", str(program), "waits"]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdout=pipe, stderr=nothing, text=True, env=_environment()) as process:
        assert process.stdout is not None
        found: list[int] = []
        while len(found) < 2:
            line = process.stdout.readline()
            found += [int(line.split()[-1])] if "process" in line else []
        process.send_signal(number)
        assert process.wait(20) == code
    end = time.monotonic() + 10
    while any(map(_is_there, found)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(_is_there, found))


def _is_there(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(("arguments", "message"), [
    (["--processes", "0", __file__], "--processes is at least 1, not 0"),
    (["--processes", "2", "--grace", "-1", __file__], "--grace is at least 0, not -1.0"),
    (["--processes", "2", "no_such_file.py"], "there is no file 'no_such_file.py'"),
])  # fmt: skip
def test_bad_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["launch", *arguments])
    assert ended.value.code == 2 and message in capsys.readouterr().err


def test_processes_do_not_launch(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TF_CONFIG", "{}")
    with pytest.raises(SystemExit):
        main(["launch", "--processes", "2", __file__])
    assert "TF_CONFIG is set already" in capsys.readouterr().err

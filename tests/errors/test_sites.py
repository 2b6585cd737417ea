"""Every error that a user can meet is in a golden file."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import autograph as tf
from tests.golden import Golden

from .results import FILES, run
from .sites import ROOT, Site, all_sites, recording, sites, sites_of

TABLE = Path(__file__).parent / "not_in_golden.txt"
"""The places that no golden program reaches, below the reason of each group, which begins with `# `."""


def listed() -> dict[str, str]:
    """The lines of the table, with their reasons."""
    found, reason = {}, ""
    for line in TABLE.read_text().splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            assert line not in found, f"{TABLE.name} has this line twice: {line}"
            found[line] = reason
    return found


OF_LIBRARIES = {"torch": ("autograph/operators/torch/", "autograph/torch/")}
"""Files that only serve a library which the tests do without."""


def is_there(library: str) -> bool:
    return importlib.util.find_spec(library) is not None


def known_sites() -> set[Site]:
    """All places but those of libraries that are not installed."""
    left_out = tuple(each for library, files in OF_LIBRARIES.items() if not is_there(library) for each in files)
    return {site for site in all_sites() if not site.file.startswith(left_out)}


@pytest.fixture(scope="module")
def reached() -> set[Site]:
    found = set()
    for path in FILES:
        needed = Golden.read(path).header.get("needs")
        if needed is not None and not is_there(needed):
            if needed not in OF_LIBRARIES:
                pytest.skip(f"needs {needed}")
            continue
        found |= run(path)[1]
    return found


def test_golden_programs_reach_every_error(reached: set[Site]) -> None:
    missing = sorted(known_sites() - reached, key=lambda site: (site.file, site.line))
    missing = [site for site in missing if str(site) not in listed()]
    text = "\n".join(f"{site.file}:{site.line}\n    {site}" for site in missing)
    assert not missing, (
        f"no golden program shows the errors of these {len(missing)} places:\n{text}\n"
        "Add a case to a file of tests/errors/data, and write its [out] with `pytest tests/errors --update-golden`. "
        f"For an error that no user can meet add the second line to tests/errors/{TABLE.name}, below its reason."
    )


def test_the_table_has_no_line_too_many(reached: set[Site]) -> None:
    lines = listed()
    assert all(lines.values()), "a line without a reason"
    unknown = sorted(set(lines) - set(map(str, all_sites())))
    assert not unknown, "these places are gone; remove their lines:\n" + "\n".join(unknown)
    shown = sorted(set(lines) & set(map(str, known_sites())) - set(map(str, known_sites() - reached)))
    assert not shown, "golden programs show these errors now; remove their lines:\n" + "\n".join(shown)


PYTHON_ERRORS = {
    "runtime/tools/export/": "of damaged files: they become a SavedFileError",
    "autograph/keras/fit/compile_config.py": "of damaged files: they become a SavedFileError",
    "runtime/ir/op.py": "mistakes of those who declare ops",
    "runtime/tensors/operands.py": "Python's own, of items of a number",
    "runtime/ops/elementwise/math.py": "Python's own, of int() and round()",
    "runtime/ops/text/text.py": "Python's own, of the methods of str",
}
"""Where the runtime raises classes of Python's, with the reason; operators raise what Python's operators do."""


def test_errors_have_classes_of_autograph() -> None:
    plain = ("ValueError(", "TypeError(", "RuntimeError(", "LookupError(", "NotImplementedError(", "Exception(")
    folders = ("runtime/", "autograph/keras/", "autograph/data/")
    found = [site for site in all_sites() if site.file.startswith(folders) and site.raised.startswith(plain)]
    found = [site for site in found if not site.file.startswith(tuple(PYTHON_ERRORS))]
    wrong = [f"{site.file}:{site.line} {site.raised}" for site in found]
    assert not wrong, "raise a class of autograph.errors instead:\n" + "\n".join(sorted(wrong))


def test_recording() -> None:
    reached: set[Site] = set()
    with recording(reached):
        with pytest.raises(tf.errors.InvalidTypeError):
            tf.constant([1, 2]).__pow__(2, 3)
        tf.constant([1, 2]).__pow__(2)
    assert [(site.file, site.function) for site in reached] == [("runtime/tensors/tensor.py", "Tensor.__pow__")]
    assert all((ROOT / name).is_file() for name in sites())


def test_sites(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(PROGRAM)
    found = [str(site) for site in sites_of(file, "module.py")]
    assert found == ["module.py C.f: ValueError( x)", "module.py C.f: g(x)"]


PROGRAM = """
class C:
    def f(x):
        try:
            raise ValueError(
                x)
        except ValueError:
            raise
        raise NotImplementedError
        raise _Unfit
        raise g(x)
"""

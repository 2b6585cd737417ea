"""The benchmarks run, and hold numbers for autograph."""

from __future__ import annotations

import json

import pytest

from tests.benchmarks.__main__ import main
from tests.benchmarks.contenders import OWN
from tests.benchmarks.race import Race, Samples


def test_converted_functions_are_measured(tmp_path, capsys):
    path = tmp_path / "numbers.json"
    found = main(["conversion", "running", "imports", "scaling", "--quick", "--json", str(path)])
    printed = capsys.readouterr().out
    assert json.loads(path.read_text()) == json.loads(json.dumps(found))
    assert len(found["measurements"]) == 6 and not found["races"]
    assert all(row["name"] in printed and row["ratios"]["autograph"] > 0 for row in found["measurements"])


def test_workloads_run_beside_numpy(tmp_path, capsys):
    path = tmp_path / "numbers.json"
    options = ["--quick", "--threads", "one", "--contenders", "autograph,NumPy", "--json", str(path)]
    found = main(["collatz_many", "first_dense", *options])
    printed = capsys.readouterr().out
    assert json.loads(path.read_text()) == json.loads(json.dumps(found))
    loop, first = found["races"]
    assert loop["title"] in printed and first["title"] in printed and not loop["out"] and not first["out"]
    assert loop["samples"][OWN]["clock"][0] > 0 and loop["samples"]["NumPy"]["clock"][0] > 0
    assert loop["ratio"] == loop["samples"][OWN]["clock"][0] / loop["samples"]["NumPy"]["clock"][0]
    assert list(first["samples"]) == [OWN] and first["ratio"] is None


def test_other_results_are_left_out(monkeypatch):
    from tests.benchmarks.workloads import newton

    monkeypatch.setattr(newton, "TOLERANCE", -1.0)  # nothing is that equal
    [row] = main(["newton", "--quick", "--threads", "one", "--contenders", "autograph,NumPy"])["races"]
    assert list(row["samples"]) == ["NumPy"] and row["out"][OWN] == "the result differs from that of NumPy"


def test_unknown_names_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["no such name"])
    assert "there is no 'no such name'" in capsys.readouterr().err


def test_the_ratio_is_to_the_fastest_peer():
    def samples(*clock):
        return Samples(clock=list(clock))

    race = Race("w", "w", "one", {OWN: samples(2.0, 4.0, 9.0), "JAX": samples(8.0), "TensorFlow": samples(16.0)})
    assert race.ratio == 0.5
    race.samples["NumPy"] = samples(1.0)
    assert race.ratio == 0.5
    del race.samples["JAX"], race.samples["TensorFlow"]
    assert race.ratio == 4


def test_another_copy_is_a_peer(tmp_path, capsys):
    (tmp_path / "autograph").mkdir()
    (tmp_path / "autograph" / "__init__.py").write_text(
        "function = lambda f: f\nconstant = lambda value: value\n", encoding="utf-8"
    )
    [row] = main(["call", "--quick", "--threads", "one", "--beside", str(tmp_path)])["races"]
    assert not row["out"] and row["ratio"] == row["samples"][OWN]["clock"][0] / row["samples"]["before"]["clock"][0]
    with pytest.raises(SystemExit):
        main(["call", "--beside", str(tmp_path / "autograph")])
    assert "holds no copy of the project" in capsys.readouterr().err


def test_programs_of_xla_run_on_a_device(monkeypatch, capsys):
    pytest.importorskip("jax")
    monkeypatch.setenv("AUTOGRAPH_BENCHMARKS_DEVICE", "")  # it is put back
    options = ["--quick", "--threads", "one", "--contenders", "NumPy", "--engines", "xla"]
    [row] = main(["dense", *options, "--device", "CPU:0"])["races"]
    assert list(row["samples"]) == ["NumPy", "autograph xla"] and not row["out"]
    assert "XLA's and JAX's programs on CPU:0" in capsys.readouterr().out
    [row] = main(["call", *options, "--device", "GPU:99"])["races"]
    assert "set_soft_device_placement" in row["out"]["autograph xla"]

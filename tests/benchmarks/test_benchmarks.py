"""The benchmarks run, and hold numbers for autograph."""

from __future__ import annotations

import json

from tests.benchmarks.__main__ import main


def test_quick_run_prints_and_writes_the_table(tmp_path, capsys):
    rows = main(["--quick", "--json", str(tmp_path / "numbers.json")])
    printed = capsys.readouterr().out
    written = json.loads((tmp_path / "numbers.json").read_text())
    assert len(written) == len(rows) == 6
    assert all(row.name in printed and row.ratios["autograph"] > 0 for row in rows)

"""Damages saved files for the programs of golden files: what a wrong hand or disk does to them, in a named way."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


def damaged_model(source: str, change: Callable[[Any], Any]) -> str:
    """A copy of the folder of a saved model whose content is changed, with a checksum that fits."""
    folder = Path("damaged")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)
    file = folder / "saved_model.json"
    whole = json.loads(file.read_bytes())
    change(whole["content"])
    text = json.dumps(whole["content"], ensure_ascii=False, separators=(",", ":"))
    whole["checksum"] = hashlib.sha256(text.encode()).hexdigest()
    file.write_text(json.dumps(whole))
    return str(folder)


def nodes_of(content: Any, op: str) -> list[Any]:
    """The nodes of an op in the content of a saved model."""
    graphs = [*content["functions"], *content["graphs"]]
    return [node for graph in graphs for node in graph["nodes"] if node["op"] == op]


def damaged_archive(source: str, change: Callable[[dict[str, bytes]], Any], compression: int = 0) -> str:
    """A copy of a `.keras` file whose members, by name, are changed; or compressed."""
    with zipfile.ZipFile(source) as before:
        members = {name: before.read(name) for name in before.namelist()}
    change(members)
    with zipfile.ZipFile("damaged.keras", "w", compression) as after:
        for name, content in members.items():
            after.writestr(zipfile.ZipInfo(name), content, compression)
    return "damaged.keras"


def damaged_config(source: str, change: Callable[[Any], Any]) -> str:
    """A copy of a `.keras` file whose configuration is changed."""

    def changed(members: dict[str, bytes]) -> None:
        config = json.loads(members["config.json"])
        change(config)
        members["config.json"] = json.dumps(config).encode()

    return damaged_archive(source, changed)

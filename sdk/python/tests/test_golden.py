"""The vectors every language must reproduce byte for byte."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from svc import canonical_json, canonical_sha256
from svc.declare import declare

from .agents.golden import Golden

FOLDER = Path(os.environ.get("SVC_GOLDEN", Path(__file__).parents[2] / "golden"))


def vectors(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", vectors("canonical.json"), ids=lambda vector: vector["canonical"][:40])
def test_canonical_json(vector: dict[str, Any]) -> None:
    assert canonical_json(vector["value"]) == vector["canonical"]
    assert canonical_sha256(vector["value"]) == vector["sha256"]


def test_card() -> None:
    assert canonical_json(declare(Golden).card) == canonical_json(vectors("card.json"))

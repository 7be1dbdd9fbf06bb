"""References of schemas that others wrote lead where RFC 6901 says, as they do in the TypeScript SDK."""

from __future__ import annotations

from typing import Any

import pytest

from svc.adapters._types import with_refs_inlined

DOCUMENT: dict[str, Any] = {"$defs": {"a/b": {"const": 1}, "m~n": {"const": 2}, "c%d": {"const": 3}, "list": [{"const": 4}]}}


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#/$defs/a~1b", {"const": 1}),
        ("#/%24defs/a~1b", {"const": 1}),
        ("#/$defs/m%7E0n", {"const": 2}),
        ("#/$defs/c%25d", {"const": 3}),
        ("#/$defs/list/0", {"const": 4}),
        ("#/$defs/list/00", {}),
        ("#/$defs/none", {}),
        ("other.json#/$defs/a~1b", {}),
    ],
)
def test_a_reference(reference: str, found: dict[str, Any]) -> None:
    assert with_refs_inlined({"$ref": reference}, DOCUMENT) == found

"""Whole numbers that the runtime carries as they are: it reads JSON as JavaScript does, in doubles."""

from __future__ import annotations

import json
import re

from .canonical import canonical_number

_SAFE = 2**53 - 1
# No shorter number is inexact. Texts match, too: that only costs time.
_MAYBE = re.compile(rb"\d{16}")


def refuse_inexact(text: bytes) -> None:
    """``text``: JSON. Raises ValueError for a whole number that would arrive as another one; fractions are doubles here as well."""
    if _MAYBE.search(text):
        json.loads(text, parse_int=_exact)


def _exact(digits: str) -> int:
    value = int(digits)
    if -_SAFE <= value <= _SAFE or (len(digits) < 400 and canonical_number(float(value)) == digits):
        return value
    shown = digits if len(digits) <= 40 else f"{digits[:40]}…"
    raise ValueError(f"{shown} cannot be carried exactly: whole numbers go up to {_SAFE} (2**53 - 1). Give it as a string")

"""Canonical JSON (RFC 8785): one byte string per JSON value, so that hashes and signatures agree between languages."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

_MAX_DEPTH = 256
_text = json.JSONEncoder(ensure_ascii=False).encode


class CanonicalJsonError(ValueError):
    """A value JSON cannot say: NaN, lone surrogates, objects, cycles, depth over 256."""


def canonical_json(value: Any) -> str:
    """The canonical text of a JSON value. Raises CanonicalJsonError."""
    return _write(value, 0)


def canonical_sha256(value: Any) -> str:
    """SHA-256 of the canonical text, 64 hexadecimal characters."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def _write(value: Any, depth: int) -> str:
    if depth > _MAX_DEPTH:
        raise CanonicalJsonError(f"nested deeper than {_MAX_DEPTH} levels, or a cycle")
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int | float):
        text = canonical_number(value)
        if isinstance(value, int) and abs(value) >= 2**53 and text != str(value):
            raise CanonicalJsonError(f"{value} cannot be carried exactly: give it as a string")
        return text
    if isinstance(value, list | tuple):
        return f"[{','.join(_write(item, depth + 1) for item in value)}]"
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise CanonicalJsonError("a member's name is not a string")
        # Order of UTF-16 code units, as the RFC says; code points would differ beyond the basic plane.
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be", "surrogatepass"))
        return f"{{{','.join(f'{_string(key)}:{_write(member, depth + 1)}' for key, member in members)}}}"
    raise CanonicalJsonError(f"a {type(value).__name__} is not a JSON value")


def _string(value: str) -> str:
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise CanonicalJsonError("a string holds a lone surrogate")
    return _text(value)


def canonical_number(value: int | float) -> str:
    """As ECMAScript writes numbers (ECMA-262, Number::toString)."""
    try:
        # JSON's numbers are doubles to the other languages: the nearest one is what they read.
        value = float(value)
    except OverflowError:
        raise CanonicalJsonError("the number is too large for JSON") from None
    if not math.isfinite(value):
        raise CanonicalJsonError(f"{value} is not a JSON number")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    # The value is 0.digits × 10**point.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits) if digits else 0)
    digits = digits.rstrip("0")
    return sign + _layout(digits, point)


def _layout(digits: str, point: int) -> str:
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    power = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return f"{digits}{power}" if len(digits) == 1 else f"{digits[0]}.{digits[1:]}{power}"

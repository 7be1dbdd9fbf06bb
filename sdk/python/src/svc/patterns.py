"""Paths of a workspace and patterns of paths, by the platform's rules (contract/wire/patterns.ts).

Patterns are anchored at the root: ``*`` and ``?`` stay within a segment; a segment ``**`` is any number of them, at the end one or more.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_MAX_PATH = 1024
_MAX_PATTERN = 256
_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\\")
_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})


def is_path(text: str) -> bool:
    """Relative, "/" between segments, none of them empty, "." or ".."; no control characters, backslash, "*" or "?"."""
    return _relative(text, _MAX_PATH) and not re.search(r"[*?]", text)


def is_pattern(text: str) -> bool:
    return _relative(text, _MAX_PATTERN) and all(segment == "**" or "**" not in segment for segment in text.split("/"))


def is_prefix(text: str) -> bool:
    """A folder to write into, with or without a slash at its end."""
    folder = text.removesuffix("/")
    return is_path(folder) and is_pattern(f"{folder}/**")


def is_under(prefix: str, path: str) -> bool:
    return path.startswith(f"{prefix.removesuffix('/')}/")


def matches_any(patterns: Iterable[str], path: str) -> bool:
    """What is no path matches nothing; nor does what is no pattern."""
    if not is_path(path):
        return False
    segments = path.split("/")
    return any(_matches(pattern.split("/"), segments) for pattern in patterns if is_pattern(pattern))


def _matches(pattern: list[str], path: list[str]) -> bool:
    """Positions of the path at which what is left of the pattern may begin, segment by segment of the pattern."""
    positions = {0}
    for index, segment in enumerate(pattern):
        if segment == "**":
            first = min(positions)
            # At the end it stands for one segment at least.
            start = first + 1 if index == len(pattern) - 1 else first
            positions = set(range(start, len(path) + 1))
        else:
            positions = {at + 1 for at in positions if at < len(path) and _segment(segment, path[at])}
        if not positions:
            return False
    return len(path) in positions


def _segment(pattern: str, text: str) -> bool:
    """Linear in practice: only the last "*" is ever gone back to."""
    at = 0
    index = 0
    star = -1
    mark = 0
    while at < len(text):
        if index < len(pattern) and pattern[index] == "*":
            star, mark = index, at
            index += 1
        elif index < len(pattern) and pattern[index] in ("?", text[at]):
            at += 1
            index += 1
        elif star >= 0:
            mark += 1
            at, index = mark, star + 1
        else:
            return False
    return all(left == "*" for left in pattern[index:])


def _relative(text: str, most: int) -> bool:
    if len(text) > most or unicodedata.normalize("NFC", text) != text:
        return False
    if any(char in _BIDIRECTIONAL or unicodedata.category(char) in _CATEGORIES for char in text):
        return False
    return all(segment not in ("", ".", "..") for segment in text.split("/"))

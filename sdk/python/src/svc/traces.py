"""Traces an author can read: what went wrong and where in their own code first; the frames of ours and of packages folded."""

from __future__ import annotations

import linecache
import os
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType

from pydantic import ValidationError

_MAX_LENGTH = 32_000
_MAX_CAUSES = 8
_OURS = f"{Path(__file__).parent}{os.sep}"
_STANDARD = tuple(f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "platstdlib"))
_SITES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}", f"{os.sep}.svc{os.sep}site{os.sep}")


_all = False


def show_all() -> None:
    """From now on no frame is folded: an author asked for it."""
    global _all
    _all = True


def described(error: BaseException) -> str:
    """The error's name and message; of a validation error what is wrong with each field."""
    return f"{type(error).__name__}: {by_field(error) if isinstance(error, ValidationError) else error}".removesuffix(": ")


def by_field(error: ValidationError) -> str:
    """``name: Field required; items.0.count: Input should be a valid integer``"""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, item['loc'])) or '(top)'}: {item['msg']}" for item in found)


def trace_of(error: BaseException) -> str:
    """The error with its place in the author's code, then the way to it; likewise what caused it."""
    parts = ["".join(_lines(one)) for one in _chain(error)]
    return "\nCaused by:\n".join(parts)[:_MAX_LENGTH]


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in seen and len(seen) < _MAX_CAUSES:
        seen.append(following)
        yield following
        following = following.__cause__ or (None if following.__suppress_context__ else following.__context__)


def _lines(error: BaseException) -> Iterator[str]:
    frames = [(frame, line, _owner(frame.f_code.co_filename)) for frame, line in _walk(error.__traceback__)]
    own = [(frame.f_code, line) for frame, line, owner in frames if owner is None]
    at = f" ({_shown(own[-1][0].co_filename)}:{own[-1][1]}, in {own[-1][0].co_name})" if own else ""
    yield f"{described(error)}{at}\n"
    folded: list[str] = []
    for frame, line, owner in frames:
        if owner is not None and not _all:
            folded.append(owner)
            continue
        yield from _fold(folded)
        file = frame.f_code.co_filename
        yield f'  File "{_shown(file)}", line {line}, in {frame.f_code.co_name}\n'
        source = linecache.getline(file, line, frame.f_globals).strip()
        if source:
            yield f"    {source}\n"
    yield from _fold(folded)
    for part in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        yield from (f"  {line}" for line in _lines(part))
    for note in getattr(error, "__notes__", ()):
        yield f"  {note}\n"


def _walk(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    yield from traceback.walk_tb(trace)


def _fold(owners: list[str]) -> Iterator[str]:
    if owners:
        count = len(owners)
        names = ", ".join(dict.fromkeys(owners))
        owners.clear()
        yield f"  … {count} {'frame' if count == 1 else 'frames'} in {names}\n"


def _owner(file: str) -> str | None:
    """Whose code it is: None for the author's, else the package's name."""
    if file.startswith(_OURS):
        return "svc"
    for site in _SITES:
        if site in file:
            return file.rpartition(site)[2].split(os.sep)[0].removesuffix(".py")
    return "Python" if file.startswith((*_STANDARD, "<frozen")) else None


def _shown(file: str) -> str:
    """Below the project's folder as the author knows it."""
    here = f"{os.getcwd()}{os.sep}"
    return file.removeprefix(here)

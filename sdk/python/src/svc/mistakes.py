"""What has no effect, or cannot work, in a class that Python itself takes: misspelt settings, results that are not what a skill says."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from pydantic import BaseModel

from .agent import Agent
from .problems import Problem, place_of
from .returns import wrong_returns
from .skill import declaration_of

_METHODS = ("startup", "shutdown", "health", "configure")
_OTHERS: tuple[tuple[str, str, str], ...] = (
    (r"secrets?|api_?keys?", r"[A-Z][A-Z0-9_]*", "required_secrets"),
    (r"env|environment|env_?vars", r"[A-Z][A-Z0-9_]*", "required_env"),
    (r"tools", r".+", "tools_used"),
    (r"allow(?:ed)?_?hosts", r".+", "egress = EgressPolicy(allow_hosts=(…))"),
)
"""Other words for settings, and what shows that they are meant: texts of this form."""


def settings() -> tuple[str, ...]:
    """The attributes of an agent that have an effect."""
    return tuple(name for name in Agent.__annotations__ if not name.startswith("_"))


def mistakes_in(cls: type[Agent[Any]], skills: Any) -> list[Problem]:
    """Each with file, line and remedy. ``skills``: of the class's declaration; none where it could not be made."""
    found = [_at(cls, name, message) for name, message in _misnamed(cls)]
    for bound in skills.values():
        found.extend(wrong_returns(bound))
    return found


def _at(cls: type, attribute: str, message: str) -> Problem:
    file, line, column = place_of(cls, attribute)
    return Problem(message=f"{attribute}: {message}", file=file, line=line, column=column)


def _misnamed(cls: type[Agent[Any]]) -> Iterator[tuple[str, str]]:
    known = settings()
    for name, value in _own(cls).items():
        if name in known or name.startswith("_") or declaration_of(value) is not None:
            continue
        if inspect.isroutine(value) or isinstance(value, property | staticmethod | classmethod):
            meant = next((method for method in _METHODS if _plain(method) == re.sub(r"^on(?=startup|shutdown)", "", _plain(name))), None)
            if meant is not None and name not in _METHODS:
                yield name, f"is never called; did you mean {meant}()?"
            continue
        if not isinstance(value, type) or issubclass(value, BaseModel):
            meant = _setting_for(name, value, cls, known)
            if meant is not None:
                own = "An attribute of your own begins with _, or has another name"
                yield name, f"is not a setting of an agent and has no effect; did you mean {meant}? {own}"


def _own(cls: type) -> dict[str, Any]:
    """What the author's classes write, annotations without a value too."""
    own: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, Agent) and base is not Agent:
            own.update(vars(base))
    return own


def _setting_for(name: str, value: Any, cls: type, known: tuple[str, ...]) -> str | None:
    texts = (value,) if isinstance(value, str) else value
    if isinstance(texts, tuple | list) and texts and all(isinstance(text, str) for text in texts):
        for names, form, meant in _OTHERS:
            if re.fullmatch(names, name, re.IGNORECASE) and all(re.fullmatch(form, text) for text in texts):
                return meant
    for setting in known:
        if _plain(setting) == _plain(name):
            return setting
    near = nearest(name, known)
    if near is None or len(near) >= 8:
        return None if near == "resources" and not isinstance(value, dict) else near
    # A short word is near to many: `stats` is no misspelt `state`.
    return near if isinstance(value, str) and near not in _own(cls) else None


def nearest(word: str, known: tuple[str, ...]) -> str | None:
    """The name that differs by one letter; by two where it is long."""
    near = [(_letters(word.lower(), name.lower()), name) for name in known]
    fewest, name = min(near)
    return name if fewest <= (1 if len(name) < 12 else 2) else None


def _letters(a: str, b: str) -> int:
    """How many letters are to be changed, added or left out."""
    changes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in changes if tag != "equal")


def _plain(name: str) -> str:
    return name.lower().replace("_", "")

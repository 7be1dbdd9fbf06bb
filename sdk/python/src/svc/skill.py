"""The decorator that makes a method of an agent a skill."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar, overload

P = ParamSpec("P")
R = TypeVar("R")
Handler = Callable[P, Coroutine[Any, Any, R]]

_MARK = "__svc_skill__"


@dataclass(frozen=True)
class SkillDeclaration:
    name: str | None = None
    description: str = ""
    tags: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    stream: bool = False
    timeout_seconds: float | None = None
    idempotent: bool = False
    max_retries: int = 0
    cost_class: str | None = None
    allow_scope_expansion: bool = False


@overload
def skill(name: Handler[P, R], /) -> Handler[P, R]: ...


@overload
def skill(
    name: str | None = None,
    description: str = "",
    tags: Iterable[str] = (),
    scopes: Iterable[str] = (),
    stream: bool = False,
    timeout_seconds: float | None = None,
    idempotent: bool = False,
    max_retries: int = 0,
    cost_class: str | None = None,
    allow_scope_expansion: bool = False,
) -> Callable[[Handler[P, R]], Handler[P, R]]: ...


def skill(
    name: Any = None,
    description: str = "",
    tags: Iterable[str] = (),
    scopes: Iterable[str] = (),
    stream: bool = False,
    timeout_seconds: float | None = None,
    idempotent: bool = False,
    max_retries: int = 0,
    cost_class: str | None = None,
    allow_scope_expansion: bool = False,
) -> Any:
    """``@skill(description="Says hello")`` before ``async def greet(self, ctx: RunContext, name: str) -> str``.

    name: public name; default: the method's. scopes: what the caller must hold. stream: the skill reports while it works.
    timeout_seconds: None leaves it to the agent's max_runtime_seconds. cost_class: a word for the card. idempotent, max_retries: with
    both, a failure that may
    pass is tried again that often, later each time. allow_scope_expansion: may ask for a wider grant while it runs.
    """
    # Without parentheses the method itself is what comes.
    bare = callable(name)
    declaration = SkillDeclaration(
        name=None if bare else name,
        description=description,
        tags=_words(tags),
        scopes=_words(scopes),
        stream=stream,
        timeout_seconds=timeout_seconds,
        idempotent=idempotent,
        max_retries=max_retries,
        cost_class=cost_class,
        allow_scope_expansion=allow_scope_expansion,
    )

    def mark(handler: Callable[..., Any]) -> Callable[..., Any]:
        setattr(handler, _MARK, declaration)
        return handler

    return mark(name) if bare else mark


def declaration_of(value: object) -> SkillDeclaration | None:
    """None for what is no skill."""
    found = getattr(value, _MARK, None)
    return found if isinstance(found, SkillDeclaration) else None


def _words(words: Iterable[str]) -> tuple[str, ...]:
    # A lone string would become its letters.
    return (words,) if isinstance(words, str) else tuple(words)

"""What all adapters share: an agent class around a function, what of a run is reported, approvals as questions."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from ..agent import Agent
from ..context import RunContext
from ..schema import ABSENT
from ..skill import skill as mark
from ..types import AgentEvent
from . import _run
from ._types import Fields

Work = Callable[[RunContext[Any], dict[str, Any]], Awaitable[Any]]
"""What a skill does: with the run and the arguments that the caller gave."""
Options = Mapping[str, Any] | Callable[[RunContext[Any]], Mapping[str, Any]] | None
"""More arguments for the framework's own run function; a function makes them for each run."""

APPROVAL_SECONDS = 86_400.0
_MAX_SUMMARY = 500
# A run may have twenty questions open.
_AT_ONCE = 16
_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")
_APPROVAL = {
    "type": "object",
    "properties": {"approved": {"type": "boolean", "title": "Approve"}, "reason": {"type": "string", "title": "Reason"}},
    "required": ["approved"],
}


class AdaptedAgent(Agent):
    """``SomeAgent = from_…(…)`` is a class that extends this."""


def agent_class(
    name: str,
    description: str,
    version: str,
    skills: Iterable[Callable[..., Any]],
    more: Mapping[str, Any],
    prepare: Callable[[], None] = lambda: None,
) -> type[Agent]:
    """``more``: other attributes of Agent. Raises TypeError for one that it does not have. ``prepare``: before the first call, where calls
    are taken at all."""
    for attribute in more:
        if attribute.startswith("_") or not hasattr(Agent, attribute):
            raise TypeError(f'an Agent has no attribute "{attribute}"')

    def init(self: Agent) -> None:
        prepare()

    own = {"__init__": init, "name": name, "description": description, "version": version}
    named = {f"skill_{at}": handler for at, handler in enumerate(skills)}
    class_name = "".join(part.capitalize() for part in name.split("-")) or "Adapted"
    return type(class_name, (AdaptedAgent,), {**own, **more, **named})


def skill_of(name: str, description: str, takes: Fields, gives: Any, work: Work, *, tags: Iterable[str] = ()) -> Callable[..., Any]:
    """A handler with one parameter for each field. ``gives``: a type, or Any."""

    async def handler(self: Agent, ctx: RunContext, **values: Any) -> Any:
        _run.begin(ctx)
        return await work(ctx, {key: value for key, value in values.items() if value is not ABSENT})

    kinds = inspect.Parameter
    own = [kinds("self", kinds.POSITIONAL_OR_KEYWORD), kinds("ctx", kinds.POSITIONAL_OR_KEYWORD)]
    parameters = [kinds(key, kinds.KEYWORD_ONLY, default=default, annotation=annotation) for key, (annotation, default) in takes.items()]
    handler.__signature__ = inspect.Signature(own + parameters)  # type: ignore[attr-defined]
    handler.__annotations__ = {"ctx": RunContext, **{key: annotation for key, (annotation, _) in takes.items()}, "return": gives}
    return mark(name, description=description, stream=True, tags=tags)(handler)


def given(options: Options, ctx: RunContext[Any]) -> dict[str, Any]:
    return dict(options(ctx) if callable(options) else options or {})


def text_of(values: Mapping[str, Any]) -> str:
    """The arguments as the one message that most frameworks take: only the text, or JSON."""
    message = values.get("message")
    return message if len(values) == 1 and isinstance(message, str) else json.dumps(jsonable(values), ensure_ascii=False)


def jsonable(value: Any) -> Any:
    return to_jsonable_python(value, fallback=str, by_alias=True, inf_nan_mode="null")


async def tool_started(ctx: RunContext[Any], call_id: Any, name: str, arguments: Any = None) -> None:
    await _tool(ctx, "started", call_id, name, arguments)


async def tool_finished(ctx: RunContext[Any], call_id: Any, name: str, output: Any = None, *, failed: bool = False) -> None:
    await _tool(ctx, "failed" if failed else "finished", call_id, name, output)


async def handed_off(ctx: RunContext[Any], source: str, target: str) -> None:
    await ctx.emit_event(AgentEvent(kind="handoff", payload={"from": source, "to": target}))


async def approval(ctx: RunContext[Any], name: str, arguments: Any, seconds: float = APPROVAL_SECONDS) -> tuple[bool, str]:
    """Asks the person whether a tool may be called; the reason is theirs, and may be empty. Raises QuestionTimeout, NobodyToAsk."""
    text = shown(arguments)
    reply = json.loads(await ctx.ask(f"May the agent call {name} with {text}?", seconds, schema=with_arguments(_APPROVAL, text)))
    return reply.get("approved") is True, str(reply.get("reason") or "")


def with_arguments(schema: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The form of an approval, with the hash of what it shows: it stands in the wait and in the receipt."""
    return {**schema, "x-svc-arguments-sha256": hashlib.sha256(text.encode()).hexdigest()}


async def asked_at_once(items: Iterable[_Item], ask: Callable[[_Item], Awaitable[_Answer]]) -> list[_Answer]:
    """Asks for all of them, many at once; the answers come in any order and are given in that of the items."""
    places = asyncio.Semaphore(_AT_ONCE)

    async def one(item: _Item) -> _Answer:
        async with places:
            return await ask(item)

    tasks = [asyncio.ensure_future(one(item)) for item in items]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        # Where one was not answered, the others are not asked any more.
        for task in tasks:
            task.cancel()


def shown(value: Any) -> str:
    """What a person decides by, whole: JSON, or the text itself as the framework has it."""
    return value if isinstance(value, str) else json.dumps(jsonable(value), ensure_ascii=False)


def brief(value: Any) -> str:
    """Of what happened, for people: cut where it is long."""
    text = shown(value)
    return text if len(text) <= _MAX_SUMMARY else f"{text[: _MAX_SUMMARY - 1]}…"


async def _tool(ctx: RunContext[Any], phase: str, call_id: Any, name: str, about: Any) -> None:
    payload = {"call_id": str(call_id or name), "name": name, "phase": phase}
    if about not in (None, "", {}):
        payload["summary"] = brief(about)
    await ctx.emit_event(AgentEvent(kind="tool", payload=payload))


def is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)

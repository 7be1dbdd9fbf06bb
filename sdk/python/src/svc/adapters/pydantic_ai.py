"""Pydantic AI: an Agent as an agent here. ``pip install svc-sdk[pydantic-ai]``"""

from __future__ import annotations

import types
import typing
from collections.abc import AsyncIterable, AsyncIterator
from functools import reduce
from operator import or_
from typing import Annotated, Any

from pydantic import WithJsonSchema
from pydantic_ai import DeferredToolRequests, DeferredToolResults, ToolDenied
from pydantic_ai import messages as sent

from ..agent import Agent
from ..context import RunContext
from ._run import ask, ask_sync, current_run
from ._shared import (
    APPROVAL_SECONDS,
    Options,
    agent_class,
    approval,
    asked_at_once,
    given,
    shown,
    skill_of,
    text_of,
    tool_finished,
    tool_started,
)
from ._types import fields_of, with_refs_inlined

__all__ = ["ask", "ask_sync", "current_run", "from_pydantic_ai"]


def from_pydantic_ai(
    agent: Any,
    *,
    name: str,
    description: str,
    version: str = "0.1.0",
    skill: str = "run",
    input: Any = str,
    output: Any = None,
    options: Options = None,
    ask_timeout: float = APPROVAL_SECONDS,
    **attributes: Any,
) -> type[Agent]:
    """An agent: the argument is ``message``, the result its ``output_type``.

    With another ``input`` the agent gets the arguments as JSON text. ``options``: for ``agent.run``, such as ``deps``. A tool with
    ``requires_approval`` asks the person whom the run works for, and so does a call that is deferred: the answer is its result. An
    agent with output validators has ``DeferredToolRequests`` in its ``output_type`` itself.
    """
    takes = fields_of(input)
    wanted = _flat(agent.output_type)
    results = [one for one in wanted if one is not DeferredToolRequests]
    # A run may not name other types where the agent has validators.
    as_it_is = len(results) < len(wanted) or getattr(agent, "_output_validators", None)
    deferring = {} if as_it_is else {"output_type": [*wanted, DeferredToolRequests]}

    async def work(ctx: RunContext[Any], values: dict[str, Any]) -> Any:
        chosen = {**deferring, **given(options, ctx)}
        own = chosen.get("event_stream_handler") or agent.event_stream_handler
        chosen["event_stream_handler"] = _reporting(ctx, own, str in results)
        result = await agent.run(text_of(values), **chosen)
        while isinstance(result.output, DeferredToolRequests):
            decided = await _decided(ctx, result.output, ask_timeout)
            chosen["message_history"] = result.all_messages()
            result = await agent.run(deferred_tool_results=decided, **chosen)
        return result.output

    gives = output if output is not None else _type_of(agent, results)
    return agent_class(name, description, version, [skill_of(skill, description, takes, gives, work)], attributes)


def _reporting(ctx: RunContext[Any], own: Any, text: bool) -> Any:
    """What an agent writes is reported where its result is text; the author's own handler gets the same events."""

    async def passed_on(events: AsyncIterable[Any]) -> AsyncIterator[Any]:
        async for event in events:
            await _report(ctx, event, text)
            yield event

    async def handler(run: Any, events: AsyncIterable[Any]) -> None:
        if own is not None:
            await own(run, passed_on(events))
            return
        async for _ in passed_on(events):
            pass

    return handler


async def _report(ctx: RunContext[Any], event: Any, text: bool) -> None:
    if isinstance(event, sent.PartStartEvent) and isinstance(event.part, sent.TextPart):
        if text and event.part.content:
            await ctx.emit_text_delta(event.part.content)
    elif isinstance(event, sent.PartDeltaEvent) and isinstance(event.delta, sent.TextPartDelta):
        if text and event.delta.content_delta:
            await ctx.emit_text_delta(event.delta.content_delta)
    elif isinstance(event, sent.FunctionToolCallEvent):
        await tool_started(ctx, event.part.tool_call_id, event.part.tool_name, event.part.args)
    elif isinstance(event, sent.FunctionToolResultEvent):
        part = event.part
        await tool_finished(ctx, part.tool_call_id, part.tool_name or "tool", part.content, failed=isinstance(part, sent.RetryPromptPart))


async def _decided(ctx: RunContext[Any], requests: DeferredToolRequests, seconds: float) -> DeferredToolResults:
    results = DeferredToolResults()

    async def decide(call: Any) -> None:
        approved, reason = await approval(ctx, call.tool_name, call.args, seconds)
        results.approvals[call.tool_call_id] = True if approved else ToolDenied(*([reason] if reason else []))

    async def answer(call: Any) -> None:
        results.calls[call.tool_call_id] = await ctx.ask(f"{call.tool_name} {shown(call.args)}", seconds)

    asked = [*((decide, call) for call in requests.approvals), *((answer, call) for call in requests.calls)]
    await asked_at_once(asked, lambda one: one[0](one[1]))
    return results


def _flat(spec: Any) -> list[Any]:
    """An output type may be a list of types, or a union."""
    if isinstance(spec, list | tuple):
        return [part for one in spec for part in _flat(one)]
    if typing.get_origin(spec) in (typing.Union, types.UnionType):
        return [part for one in typing.get_args(spec) for part in _flat(one)]
    return [spec]


def _type_of(agent: Any, results: list[Any]) -> Any:
    """Functions and markers such as NativeOutput are no types: the agent knows what comes of them."""
    if all(isinstance(one, type) or typing.get_origin(one) is not None for one in results):
        return reduce(or_, results)
    schema = agent.output_json_schema(output_type=results)
    return Annotated[Any, WithJsonSchema(with_refs_inlined({key: one for key, one in schema.items() if key != "$defs"}, schema))]

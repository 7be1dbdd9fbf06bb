"""OpenAI Agents: an Agent as an agent here. ``pip install svc-sdk[openai-agents]``"""

from __future__ import annotations

import inspect
from functools import partial, reduce
from operator import or_
from typing import Any

from agents import Agent as OpenAIAgent
from agents import (
    AgentOutputSchemaBase,
    Handoff,
    InputGuardrailTripwireTriggered,
    MaxTurnsExceeded,
    OutputGuardrailTripwireTriggered,
    RunConfig,
    Runner,
)

from ..agent import Agent
from ..context import RunContext
from ..errors import SkillInputError, SkillInvocationError
from ._run import ask, ask_sync, current_run
from ._shared import (
    APPROVAL_SECONDS,
    Options,
    agent_class,
    approval,
    asked_at_once,
    given,
    handed_off,
    skill_of,
    text_of,
    tool_finished,
    tool_started,
)
from ._types import fields_of

__all__ = ["ask", "ask_sync", "current_run", "from_openai_agents"]


def from_openai_agents(
    agent: OpenAIAgent[Any],
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
    """An agent, with those it hands off to: the argument is ``message``, the result its ``output_type``.

    With another ``input`` the agent gets the arguments as JSON text. ``options``: for ``Runner.run_streamed``. A tool with
    ``needs_approval`` asks the person whom the run works for. The framework sends its own traces nowhere unless ``options`` has a
    ``run_config``.
    """
    takes = fields_of(input)

    async def work(ctx: RunContext[Any], values: dict[str, Any]) -> Any:
        chosen = {"run_config": RunConfig(tracing_disabled=True), **given(options, ctx)}
        following: Any = text_of(values)
        while True:
            result = Runner.run_streamed(agent, following, **chosen)
            try:
                await _report(ctx, result)
            except InputGuardrailTripwireTriggered as error:
                raise SkillInputError(str(error)) from error
            except (OutputGuardrailTripwireTriggered, MaxTurnsExceeded) as error:
                raise SkillInvocationError(str(error)) from error
            finally:
                if not result.is_complete:
                    result.cancel()
            if not result.interruptions:
                return result.final_output
            following = result.to_state()
            # It is part of the state.
            chosen.pop("context", None)
            await asked_at_once(result.interruptions, partial(_decide, ctx, following, ask_timeout))

    gives = output if output is not None else _output_of(agent)
    return agent_class(name, description, version, [skill_of(skill, description, takes, gives, work)], attributes)


async def _report(ctx: RunContext[Any], result: Any) -> None:
    names: dict[str, str] = {}
    async for event in result.stream_events():
        if event.type == "raw_response_event":
            if event.data.type == "response.output_text.delta" and _type_of(result.current_agent) is str:
                await ctx.emit_text_delta(event.data.delta)
        elif event.type == "run_item_stream_event":
            raw = event.item.raw_item
            call_id = str(_of(raw, "call_id") or _of(raw, "id"))
            if event.name == "tool_called":
                names[call_id] = str(_of(raw, "name") or _of(raw, "type"))
                await tool_started(ctx, call_id, names[call_id], _of(raw, "arguments"))
            elif event.name == "tool_output":
                await tool_finished(ctx, call_id, names.get(call_id, "tool"), event.item.output)
            elif event.name == "handoff_occured":
                await handed_off(ctx, event.item.source_agent.name, event.item.target_agent.name)


async def _decide(ctx: RunContext[Any], state: Any, seconds: float, item: Any) -> None:
    approved, reason = await approval(ctx, str(item.tool_name or _of(item.raw_item, "name")), _of(item.raw_item, "arguments"), seconds)
    if approved:
        state.approve(item)
    elif reason and "rejection_message" in inspect.signature(state.reject).parameters:
        state.reject(item, rejection_message=reason)
    else:
        state.reject(item)


def _output_of(agent: OpenAIAgent[Any]) -> Any:
    """Of the agent and of those it can hand off to. A Handoff does not say which agent it leads to, so any result may come of it."""
    types: list[Any] = []
    seen: list[OpenAIAgent[Any]] = []
    following: list[Any] = [agent]
    while following:
        one = following.pop()
        if isinstance(one, Handoff):
            return Any
        if one not in seen:
            seen.append(one)
            types.append(_type_of(one))
            following.extend(one.handoffs)
    return reduce(or_, dict.fromkeys(types))


def _type_of(agent: OpenAIAgent[Any]) -> Any:
    declared = agent.output_type
    return (declared.output_type if isinstance(declared, AgentOutputSchemaBase) else declared) or str


def _of(raw: Any, name: str) -> Any:
    """Items are models or dictionaries."""
    return raw.get(name) if isinstance(raw, dict) else getattr(raw, name, None)

"""Google ADK: an agent of it as an agent here. ``pip install svc-sdk[google-adk]``"""

from __future__ import annotations

import importlib
import json
import os
import sys
from contextlib import aclosing, suppress
from typing import Any, NamedTuple

from google.adk.agents import BaseAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.events import Event
from google.adk.runners import InMemoryRunner, Runner
from google.genai import types

from ..agent import Agent
from ..context import RunContext
from ..errors import SkillInvocationError
from ._run import ask, ask_sync, current_run
from ._shared import (
    APPROVAL_SECONDS,
    Options,
    agent_class,
    approval,
    asked_at_once,
    given,
    handed_off,
    is_model,
    skill_of,
    text_of,
    tool_finished,
    tool_started,
)
from ._types import fields_of

__all__ = ["ask", "ask_sync", "current_run", "from_google_adk"]

_CONFIRMATION = "adk_request_confirmation"
_TRANSFER = "transfer_to_agent"
_USER = "caller"


def from_google_adk(
    agent: BaseAgent | Runner,
    *,
    name: str,
    description: str,
    version: str = "0.1.0",
    skill: str = "run",
    input: Any = None,
    output: Any = None,
    options: Options = None,
    ask_timeout: float = APPROVAL_SECONDS,
    **attributes: Any,
) -> type[Agent]:
    """An agent with its sub-agents, or a Runner that has services of its own. The argument is ``message``, or what ``input_schema`` says;
    the result is the final text, or of the ``output_schema``.

    Each run is a session of its own. ``options``: for ``Runner.run_async``. A tool with ``require_confirmation`` asks the person whom
    the run works for, before it is called. A tool that calls ``request_confirmation`` itself is called twice by the framework: use
    ``await ask(…)`` in it instead, which continues in the next line.
    """
    runner = agent if isinstance(agent, Runner) else InMemoryRunner(agent=agent, app_name=name.replace("-", "_"))
    root: Any = runner.agent
    takes = fields_of(input if input is not None else _model_of(root, "input_schema") or str)
    gives = output if output is not None else _model_of(root, "output_schema") or str

    async def work(ctx: RunContext[Any], values: dict[str, Any]) -> Any:
        session = {"app_name": runner.app_name, "user_id": _USER, "session_id": ctx.run_id}
        await runner.session_service.create_session(**session)
        try:
            parts = [types.Part(text=text_of(values))]
            while True:
                chosen = {"run_config": RunConfig(streaming_mode=StreamingMode.SSE), **given(options, ctx)}
                message = types.Content(role="user", parts=parts)
                events = runner.run_async(user_id=_USER, session_id=ctx.run_id, new_message=message, **chosen)
                # Closed at once when the run is cancelled.
                async with aclosing(events):
                    turn = await _follow(ctx, events, streams=gives is str)
                if not turn.confirmations:
                    return turn.text if gives is str else _json(turn.text)
                parts = await asked_at_once(turn.confirmations, lambda call: _answer(ctx, call, ask_timeout))
        finally:
            await runner.session_service.delete_session(**session)

    skills = [skill_of(skill, description, takes, gives, work)]
    return agent_class(name, description, version, skills, attributes, lambda: _load_models(root))


class _Turn(NamedTuple):
    text: str
    confirmations: list[types.FunctionCall]


async def _follow(ctx: RunContext[Any], events: Any, *, streams: bool) -> _Turn:
    text, streamed = "", False
    confirmations: list[types.FunctionCall] = []
    event: Event
    async for event in events:
        if event.error_code and not event.partial:
            raise SkillInvocationError(event.error_message or str(event.error_code))
        words = "".join(part.text for part in _parts(event) if part.text and not part.thought)
        if event.partial:
            if words and streams:
                streamed = True
                await ctx.emit_text_delta(words)
            continue
        if words:
            # What came in pieces comes once more as a whole.
            if streams and not streamed:
                await ctx.emit_text_delta(words)
            streamed = False
            if event.is_final_response():
                text = words
        for call in event.get_function_calls():
            if call.name == _CONFIRMATION:
                confirmations.append(call)
            elif call.name == _TRANSFER:
                await handed_off(ctx, event.author, str((call.args or {}).get("agent_name")))
            else:
                await tool_started(ctx, call.id, str(call.name), call.args)
        for done in event.get_function_responses():
            # A tool that waits for its confirmation has not been called.
            if done.name != _TRANSFER and done.id not in (event.actions.requested_tool_confirmations or {}):
                await tool_finished(ctx, done.id, str(done.name), done.response)
    return _Turn(text, confirmations)


async def _answer(ctx: RunContext[Any], call: types.FunctionCall, seconds: float) -> types.Part:
    args = call.args or {}
    original = args.get("originalFunctionCall") or {}
    approved, _ = await approval(ctx, str(original.get("name")), original.get("args") or {}, seconds)
    response: dict[str, Any] = {"confirmed": approved}
    payload = (args.get("toolConfirmation") or {}).get("payload")
    if payload is not None:
        response["payload"] = payload
    return types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response=response))


def _load_models(agent: Any) -> None:
    """LiteLLM takes seconds to load. ADK loads it within the first call, on the loop, where all other runs, and the question whether the
    agent is well, would wait for it."""
    # A name is looked up here; what is wrong with it, the run says.
    with suppress(Exception):
        _ = getattr(agent, "canonical_model", None)
    for sub_agent in agent.sub_agents:
        _load_models(sub_agent)
    if "google.adk.models.lite_llm" in sys.modules:
        # As ADK does it: no .env file is read.
        os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
        # It loads itself in parts, by the names that are asked for.
        _ = importlib.import_module("litellm").acompletion


def _parts(event: Event) -> list[types.Part]:
    return (event.content.parts if event.content else None) or []


def _json(text: str) -> Any:
    """What it is not, the output of the skill is checked against, and refused."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _model_of(agent: Any, name: str) -> Any:
    declared = getattr(agent, name, None)
    return declared if is_model(declared) else None

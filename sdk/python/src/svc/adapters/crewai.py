"""CrewAI: a crew or a flow as an agent here. ``pip install svc-sdk[crewai]``"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import threading
from collections.abc import Coroutine
from typing import Any

# Read when the first crew is made, which is after the imports.
os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")

from crewai import Crew, Flow
from crewai.core.providers.human_input import SyncHumanInputProvider, set_provider
from crewai.crews.crew_output import CrewOutput
from crewai.events.stream_context import add_stream_sink
from crewai.flow.flow import FlowState
from crewai.flow.flow_config import flow_config

from ..agent import Agent
from ..context import RunContext
from ._run import ask, ask_sync, current_run
from ._shared import APPROVAL_SECONDS, agent_class, shown, skill_of, tool_finished, tool_started
from ._types import REQUIRED, Fields, fields_of

__all__ = ["ask", "ask_sync", "current_run", "from_crewai"]

_FEEDBACK = {
    "type": "object",
    "properties": {"approved": {"type": "boolean", "title": "It is right"}, "reason": {"type": "string", "title": "What to change"}},
    "required": ["approved"],
}


def from_crewai(
    crew: Crew | type[Flow[Any]],
    *,
    name: str,
    description: str,
    version: str = "0.1.0",
    skill: str = "run",
    input: Any = None,
    output: Any = None,
    ask_timeout: float = APPROVAL_SECONDS,
    **attributes: Any,
) -> type[Agent]:
    """A crew: the arguments are the placeholders of its agents and tasks, the result is that of its last task. A Flow class: they are its
    ``input``, by default ``message``.

    Each run has a copy of the crew, or a flow of its own, in a thread. Where a task has ``human_input``, a flow ``@human_feedback`` or
    ``self.ask``, the person is asked whom the run works for. A tool asks with ``ask_sync``. A cancelled run ends at its next step: what a
    tool is doing is not broken off.
    """
    takes = _fields(crew, input)
    gives = output if output is not None else _output_of(crew)

    async def work(ctx: RunContext[Any], values: dict[str, Any]) -> Any:
        run = _Run(ctx, streams=gives is str)
        # Only for this run and its threads.
        set_provider(_Asks(ask_timeout))
        add_stream_sink(run.hear)
        if not isinstance(crew, Crew):
            flow_config.hitl_provider = flow_config.hitl_provider or _FlowAsks(ask_timeout)
            flow_config.input_provider = flow_config.input_provider or _FlowAsks(ask_timeout)
        one: Any = _copy(crew) if isinstance(crew, Crew) else crew()
        try:
            return _value(await asyncio.to_thread(one.kickoff, inputs=dict(values)))
        finally:
            run.over.set()

    return agent_class(name, description, version, [skill_of(skill, description, takes, gives, work)], attributes)


def _copy(crew: Crew) -> Crew:
    one = crew.copy()
    one._task_output_handler.storage = _Outputs()
    for member in [*one.agents, one.manager_agent]:
        executor = getattr(member, "executor_class", None)
        if isinstance(executor, type) and issubclass(executor, Flow):
            member.executor_class = _executor(executor)
    return one


@functools.cache
def _executor(framework: Any) -> type[Any]:
    """The same, made in 5 ms less: the framework's own makes a class for its first state each time, and throws that state away."""

    class Executor(framework):  # type: ignore[misc]
        initial_state: Any = FlowState

        @classmethod
        def flow_definition(cls) -> Any:
            """By default it would have only those of its methods that this class defines."""
            return framework.flow_definition()

    # Its events name it.
    Executor.__name__ = framework.__name__
    return Executor


class _Outputs:
    """What tasks gave, for ``crewai replay``, which no run has here: kept nowhere. By default it is in one file of the machine: runs at the
    same time would overwrite each other's, and each write takes milliseconds."""

    def load(self) -> list[Any]:
        return []

    def add(self, *_: Any, **__: Any) -> None: ...

    def delete_all(self) -> None: ...


class _Over(BaseException):
    """Ends the thread of a run that is over; no ``except Exception`` of the framework keeps it."""


class _Run:
    def __init__(self, ctx: RunContext[Any], *, streams: bool) -> None:
        self._ctx = ctx
        self._streams = streams
        self._loop = asyncio.get_running_loop()
        self.over = threading.Event()

    def hear(self, source: Any, event: Any) -> None:
        """In the framework's thread, in the order of what happens."""
        if self.over.is_set():
            raise _Over
        report = self._report(event)
        if report is not None:
            asyncio.run_coroutine_threadsafe(report, self._loop).result()

    def _report(self, event: Any) -> Coroutine[Any, Any, None] | None:
        match event.type:
            case "llm_stream_chunk" if self._streams and event.chunk and event.tool_call is None:
                return self._ctx.emit_text_delta(event.chunk)
            case "tool_usage_started":
                return tool_started(self._ctx, event.event_id, event.tool_name, _parsed(event.tool_args))
            case "tool_usage_finished":
                return tool_finished(self._ctx, event.started_event_id, event.tool_name, event.output)
            case "tool_usage_error":
                return tool_finished(self._ctx, event.started_event_id, event.tool_name, str(event.error), failed=True)
        return None


class _Asks(SyncHumanInputProvider):  # type: ignore[misc]
    """Of tasks with ``human_input``: the person approves the answer, or says what to change."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def handle_feedback(self, formatted_answer: Any, context: Any) -> Any:
        answer = formatted_answer
        while context.ask_for_human_input:
            feedback = _feedback(f"Is this right?\n\n{shown(self._get_output_string(answer))}", self._seconds)
            if feedback is None:
                context.ask_for_human_input = False
            else:
                context.messages.append(context._format_feedback_message(feedback))
                answer = context._invoke_loop()
        return answer


class _FlowAsks:
    """Of flows: ``@human_feedback`` and ``self.ask``."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def request_feedback(self, context: Any, flow: Any) -> str:
        return ask_sync(f"{context.message}\n\n{shown(context.method_output)}", self._seconds)

    def request_input(self, message: str, flow: Any, metadata: Any = None) -> str:
        return ask_sync(message, self._seconds)


def _feedback(prompt: str, seconds: float) -> str | None:
    """What to change; None: nothing."""
    reply = json.loads(ask_sync(prompt, seconds, schema=_FEEDBACK))
    return None if reply.get("approved") is True else str(reply.get("reason") or "This is not right.")


def _fields(crew: Crew | type[Flow[Any]], declared: Any) -> Fields:
    if declared is not None:
        return fields_of(declared)
    if not isinstance(crew, Crew):
        return fields_of(str)
    return dict.fromkeys(sorted(crew.fetch_inputs()), (str, REQUIRED))


def _output_of(crew: Crew | type[Flow[Any]]) -> Any:
    if not isinstance(crew, Crew):
        return Any
    last = crew.tasks[-1]
    return last.output_pydantic or last.output_json or str


def _value(result: Any) -> Any:
    if not isinstance(result, CrewOutput):
        return result
    return result.pydantic or result.json_dict or result.raw


def _parsed(args: Any) -> Any:
    try:
        return json.loads(args) if isinstance(args, str) else args
    except ValueError:
        return args

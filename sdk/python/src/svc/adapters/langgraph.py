"""LangGraph: a compiled graph as an agent. ``pip install svc-sdk[langgraph]``"""

from __future__ import annotations

import json
import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Required

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage, convert_to_openai_messages
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, Interrupt
from pydantic import ConfigDict, TypeAdapter, with_config
from typing_extensions import TypedDict

from ..agent import Agent
from ..context import RunContext
from ..types import AgentEvent
from ._run import ask, ask_sync, current_run
from ._shared import (
    APPROVAL_SECONDS,
    Options,
    agent_class,
    asked_at_once,
    given,
    jsonable,
    shown,
    skill_of,
    tool_finished,
    tool_started,
    with_arguments,
)
from ._types import Fields, fields_of, record_of

__all__ = ["ask", "ask_sync", "current_run", "from_langgraph"]


@with_config(ConfigDict(extra="allow"))
class Message(TypedDict, total=False):
    # As LangGraph takes it and models know it: LangChain's own classes have fourteen schemas.
    role: Required[Literal["user", "assistant", "system", "tool"]]
    content: Required[str | list[dict[str, Any]]]


def from_langgraph(
    graph: Any,
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
    """A compiled graph as an agent: arguments and result are its input and output, messages with ``role`` and ``content``.

    ``input=str``: the argument ``message`` becomes the user's message. ``output=str``: the text of the last message; another type
    is read from the final state. ``options``: for ``graph.astream``.

    ``interrupt()`` asks the person whom the run works for; LangGraph then runs its node again from the start. ``await ask(…)`` in
    its place asks, and the node continues in the next line.
    """
    takes = fields_of(input, _readable) if input is not None else _declared(graph, "input")
    record = _declared(graph, "output") if output is None else {}
    gives = record_of("Output", record) if output is None else output
    # An interrupt needs a memory. In place of none, and of one that is lost with the process, there is ours, which forgets a run
    # at its end.
    memory = InMemorySaver()
    has_own = not isinstance(getattr(graph, "checkpointer", None), InMemorySaver | None)
    forgetting = graph if has_own else graph.copy({"checkpointer": memory})

    async def work(ctx: RunContext[Any], values: dict[str, Any]) -> Any:
        chosen = given(options, ctx)
        config = {**chosen.pop("config", {})}
        configurable = config.get("configurable", {})
        config["configurable"] = {"thread_id": ctx.run_id, **configurable}
        if has_own or "thread_id" in configurable:
            return await through(ctx, graph, values, {**chosen, "config": config})
        try:
            # Written down where it stops, not after each step.
            return await through(ctx, forgetting, values, {"durability": "exit", **chosen, "config": config})
        finally:
            memory.delete_thread(ctx.run_id)

    async def through(ctx: RunContext[Any], runnable: Any, values: dict[str, Any], chosen: dict[str, Any]) -> Any:
        following: Any = {"messages": [{"role": "user", "content": values["message"]}]} if input is str else values
        while True:
            state, interrupts = await _stream(ctx, runnable, following, chosen)
            if not interrupts:
                break
            answers = await asked_at_once(interrupts, lambda one: _answer(ctx, one.value, ask_timeout))
            following = Command(resume={one.id: answer for one, answer in zip(interrupts, answers, strict=True)})
        if output is str:
            return _last_text(state)
        return _written(state, record) if output is None else TypeAdapter(output).validate_python(state, from_attributes=True)

    return agent_class(name, description, version, [skill_of(skill, description, takes, gives, work)], attributes)


async def _stream(ctx: RunContext[Any], graph: Any, following: Any, chosen: Mapping[str, Any]) -> tuple[Any, list[Interrupt]]:
    state: Any = {}
    interrupts: list[Interrupt] = []
    modes = ["messages", "updates", "custom", "values"]
    async for namespace, mode, chunk in graph.astream(
        following, stream_mode=modes, subgraphs=True, output_keys=getattr(graph, "output_channels", None), **chosen
    ):
        if mode == "messages":
            message = chunk[0]
            text = message.text if isinstance(message.text, str) else message.text()
            if isinstance(message, AIMessage) and text:
                await ctx.emit_text_delta(text)
        elif mode == "custom":
            await ctx.emit_event(AgentEvent(kind="custom", payload={"data": jsonable(chunk)}))
        elif mode == "values":
            state = chunk if namespace == () else state
        elif mode == "updates":
            for node, update in chunk.items():
                if node == "__interrupt__":
                    # Those of a subgraph come once more from the graph above it.
                    interrupts.extend(one for one in update if one.id not in {known.id for known in interrupts})
                else:
                    await _step(ctx, "/".join([*(part.split(":")[0] for part in namespace), node]), update)
    return state, interrupts


async def _step(ctx: RunContext[Any], node: str, update: Any) -> None:
    messages = update.get("messages", ()) if isinstance(update, Mapping) else ()
    for message in messages if isinstance(messages, Sequence) else [messages]:
        if isinstance(message, AIMessage):
            for call in message.tool_calls:
                await tool_started(ctx, call["id"], call["name"], call["args"])
        elif isinstance(message, ToolMessage):
            await tool_finished(ctx, message.tool_call_id, message.name or "tool", message.content, failed=message.status == "error")
    await ctx.emit_event(AgentEvent(kind="step", payload={"node": node}))


async def _answer(ctx: RunContext[Any], value: Any, seconds: float) -> Any:
    if isinstance(value, Mapping) and isinstance(value.get("action_requests"), Sequence):
        # Of LangChain's HumanInTheLoopMiddleware, which takes a decision for each action.
        return {"decisions": await asked_at_once(value["action_requests"], lambda one: _decision(ctx, one, value, seconds))}
    words = (value.get(key) for key in ("question", "prompt", "message", "instruction")) if isinstance(value, Mapping) else ()
    said = next((word for word in words if isinstance(word, str)), None)
    rest = shown({key: one for key, one in value.items() if one is not said}) if said is not None and len(value) > 1 else ""
    return await ctx.ask(f"{said or shown(value)} {rest}".strip(), seconds)


async def _decision(ctx: RunContext[Any], action: Mapping[str, Any], request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    configs = request.get("review_configs") or ()
    allowed = next((one["allowed_decisions"] for one in configs if one.get("action_name") == action["name"]), ["approve", "reject"])
    choices = [one for one in allowed if one in ("approve", "reject", "respond")]
    schema = {
        "type": "object",
        "properties": {
            "decision": {"type": "string", "title": "Decision", "enum": choices},
            "message": {"type": "string", "title": "Message"},
        },
        "required": ["decision"],
    }
    text = shown(action.get("args", {}))
    # What a program says of its call may leave out a part of it.
    words = [str(action["description"])] if action.get("description") else []
    prompt = "\n\n".join([*words, f"May the agent call {action['name']} with {text}?"])
    reply = json.loads(await ctx.ask(prompt, seconds, schema=with_arguments(schema, text)))
    said = {"message": reply["message"]} if reply.get("message") and reply["decision"] != "approve" else {}
    return {"type": reply["decision"], **said}


def _declared(graph: Any, what: str) -> Fields:
    builder: Any = getattr(graph, "builder", None)
    declared = getattr(builder, f"{what}_schema", None)
    if declared is None:
        raise TypeError(f"the graph does not declare its {what}: give `{what}`")
    # LangGraph takes and gives any part of a state; a schema of its own says what there must be.
    return fields_of(declared, _readable, partial=declared is builder.state_schema)


def _written(state: Any, record: Fields) -> dict[str, Any]:
    values = state if isinstance(state, Mapping) else vars(state)
    return {key: _plain(value) for key, value in values.items() if key in record}


def _plain(value: Any) -> Any:
    if isinstance(value, BaseMessage):
        return convert_to_openai_messages(value)
    return [_plain(one) for one in value] if isinstance(value, list) else value


def _readable(annotation: Any) -> Any:
    """Messages as callers write and read them."""
    if typing.get_origin(annotation) is Annotated:
        return _readable(annotation.__origin__)
    if not _is_message(annotation):
        return annotation
    return Message if typing.get_origin(annotation) is not list else list[Message]


def _is_message(annotation: Any) -> bool:
    if isinstance(annotation, type) and typing.get_origin(annotation) is None:
        return issubclass(annotation, BaseMessage)
    return any(_is_message(one) for one in typing.get_args(annotation))


def _last_text(state: Any) -> str:
    messages = state.get("messages") if isinstance(state, Mapping) else getattr(state, "messages", None)
    if not messages:
        raise TypeError("output=str needs a graph whose state has messages")
    text = messages[-1].text
    return text if isinstance(text, str) else str(text())

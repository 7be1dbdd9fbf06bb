"""``ctx.llm``: language models, over the platform's model gateway; on a laptop with the developer's own key; in tests by a script."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from typing import Any, Literal, NotRequired, TypedDict, TypeVar, overload

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from .bridge import Bridge
from .errors import Issue, ModelAnswerInvalid, ModelFailed, SvcError

Protocol = Literal["openai", "anthropic"]
LlmFinishReason = Literal["stop", "length", "tool_calls", "refusal", "other"]

ValueT = TypeVar("ValueT")

_HELD = "value"
"""Holds what is no object: the wires take no other schema."""
_FENCED = re.compile(r"\s*```(?:json)?\n(.*)\n```\s*", re.DOTALL)


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="ignore")


class LlmToolCall(_Read):
    id: str
    name: str
    arguments: dict[str, Any]


class LlmUsage(_Read):
    input_tokens: int
    """With those read from the provider's cache."""
    cached_input_tokens: int
    output_tokens: int


class LlmResult(_Read):
    text: str
    tool_calls: tuple[LlmToolCall, ...]
    finish_reason: LlmFinishReason
    usage: LlmUsage
    model: str
    """Which answered, as the endpoint names it."""


class LlmEmbeddings(_Read):
    vectors: tuple[tuple[float, ...], ...]
    """One for each text, in their order; all of one length."""
    usage: LlmUsage
    model: str
    """Which answered, as the endpoint names it."""


class LlmMessage(TypedDict):
    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: NotRequired[Iterable[LlmToolCall]]
    """Of an assistant: what it asked for."""
    tool_call_id: NotRequired[str]
    """Of a tool: which call this is the result of."""


class LlmTool(TypedDict):
    name: str
    description: NotRequired[str]
    input_schema: NotRequired[Mapping[str, Any]]
    """JSON Schema of its arguments, of type object."""


LlmPrompt = str | Iterable[LlmMessage]


class LlmStream:
    """The text as it comes: ``async for delta in ctx.llm.stream(…)``.

    Leaving the loop ends the request; nothing is sent before the first read.
    """

    def __init__(self, bridge: Bridge, params: Mapping[str, Any]) -> None:
        self._bridge = bridge
        self._params = params
        self._number: int | None = None
        self._result: LlmResult | None = None
        self._error: SvcError | None = None

    def __aiter__(self) -> AsyncIterator[str]:
        return _Pieces(self)

    async def result(self) -> LlmResult:
        """Reads what is left. Raises ModelFailed, also where the stream was left before its end."""
        while self._result is None:
            await self._next()
        return self._result

    async def _next(self) -> str | None:
        """The next piece; None at the end."""
        if self._error is not None:
            raise self._error
        if self._result is not None:
            return None
        try:
            if self._number is None:
                self._number = int((await self._bridge.call("llm.start", self._params))["stream"])
            piece = await self._bridge.call("llm.read", {"stream": self._number})
        except SvcError as error:
            self._error = error
            raise
        if piece["text"] is not None:
            return str(piece["text"])
        self._result = LlmResult.model_validate(piece["answer"])
        return None

    def _leave(self) -> None:
        if self._result is not None or self._error is not None:
            return
        self._error = ModelFailed("the model's answer was not read to its end", model_code="model_stream_left")
        # Without a loop here, the platform ends it with the run.
        with suppress(RuntimeError):
            task = asyncio.get_running_loop().create_task(self._end())
            _ending.add(task)
            task.add_done_callback(_ending.discard)

    async def _end(self) -> None:
        if self._number is None:
            return
        with suppress(SvcError):
            await self._bridge.call("llm.leave", {"stream": self._number})


_ending: set[asyncio.Task[None]] = set()
"""A loop keeps no task."""


class _Pieces:
    """What a loop holds, and drops when it is left: an asynchronous generator would hear of that later."""

    def __init__(self, stream: LlmStream) -> None:
        self._stream = stream

    def __aiter__(self) -> _Pieces:
        return self

    async def __anext__(self) -> str:
        piece = await self._stream._next()
        if piece is None:
            raise StopAsyncIteration
        return piece

    def __del__(self) -> None:
        self._stream._leave()


class Llm:
    """Language models, as ``models`` of svc.yaml declares them.

    In all methods: ``model`` as the model gateway knows it (default: ``models.default`` of svc.yaml); ``protocol``, whose wire is
    spoken (default: anthropic for ``claude-…``, openai for all others); ``system``, the system prompt;
    ``schema``, a JSON Schema of type object that the answer is asked to fit, then JSON text; ``tools`` that the model may ask for
    (``tool_calls`` of the result).
    """

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    async def generate(
        self,
        prompt: LlmPrompt,
        *,
        model: str | None = None,
        protocol: Protocol | None = None,
        system: str | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        tools: Iterable[LlmTool] = (),
        schema: Mapping[str, Any] | None = None,
    ) -> LlmResult:
        """Raises ModelFailed, with the gateway's own code."""
        params = _params(prompt, model, protocol, system, max_tokens, temperature, tools, schema)
        return LlmResult.model_validate(await self._bridge.call("llm.generate", params))

    def stream(
        self,
        prompt: LlmPrompt,
        *,
        model: str | None = None,
        protocol: Protocol | None = None,
        system: str | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        tools: Iterable[LlmTool] = (),
        schema: Mapping[str, Any] | None = None,
    ) -> LlmStream:
        """``async for delta in ctx.llm.stream("Tell me a story"): await ctx.emit_text_delta(delta)``."""
        return LlmStream(self._bridge, _params(prompt, model, protocol, system, max_tokens, temperature, tools, schema))

    async def embed(self, texts: Iterable[str], *, model: str | None = None) -> LlmEmbeddings:
        """Vectors of texts, 1 to 256 of them: what means the same is near. ``model`` by default: ``models.embedding`` of svc.yaml.

        Raises ModelFailed, with the gateway's own code.
        """
        if isinstance(texts, str):
            raise TypeError("ctx.llm.embed: give a list of texts")
        params = {"texts": list(texts)} if model is None else {"texts": list(texts), "model": model}
        return LlmEmbeddings.model_validate(await self._bridge.call("llm.embed", params))

    @overload
    async def object(
        self,
        schema: type[ValueT],
        prompt: LlmPrompt,
        *,
        model: str | None = None,
        protocol: Protocol | None = None,
        system: str | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> ValueT: ...

    @overload
    async def object(
        self,
        schema: Mapping[str, Any],
        prompt: LlmPrompt,
        *,
        model: str | None = None,
        protocol: Protocol | None = None,
        system: str | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Any: ...

    async def object(
        self,
        schema: type[Any] | Mapping[str, Any],
        prompt: LlmPrompt,
        *,
        model: str | None = None,
        protocol: Protocol | None = None,
        system: str | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Any:
        """A value that fits: a pydantic model, what else pydantic knows (``list[int]``), or a JSON Schema.

        An answer that does not fit is asked for once more, with what is wrong.
        Raises ModelAnswerInvalid when that does not fit either, ModelFailed.
        """
        if isinstance(schema, Mapping):
            params = _params(prompt, model, protocol, system, max_tokens, temperature, (), schema)
            return await self._bridge.call("llm.object", params)
        adapter: TypeAdapter[Any] = TypeAdapter(schema)
        asked = adapter.json_schema()
        is_held = asked.get("type") != "object"
        params = _params(prompt, model, protocol, system, max_tokens, temperature, (), _held(asked) if is_held else asked)
        first = LlmResult.model_validate(await self._bridge.call("llm.generate", params))
        try:
            return _checked(adapter, first.text, is_held)
        except ValidationError as error:
            correction = f"This does not fit the schema: {_places(error)}. Answer again, with JSON that fits it."
        # An empty turn is refused by some.
        again = [{"role": "assistant", "content": first.text or "(nothing)"}, {"role": "user", "content": correction}]
        params = {**params, "messages": [*params["messages"], *again]}
        second = LlmResult.model_validate(await self._bridge.call("llm.generate", params))
        try:
            return _checked(adapter, second.text, is_held)
        except ValidationError as error:
            cut = " It was cut off: raise max_tokens." if second.finish_reason == "length" else ""
            message = f"what {second.model} answered does not fit the schema, also when asked again: {_places(error)}.{cut}"
            raise ModelAnswerInvalid(message, _issues(error)) from None


def _params(
    prompt: LlmPrompt,
    model: str | None,
    protocol: Protocol | None,
    system: str | None,
    max_tokens: int | None,
    temperature: float | None,
    tools: Iterable[LlmTool],
    schema: Mapping[str, Any] | None,
) -> dict[str, Any]:
    messages: Iterable[LlmMessage] = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    given = {
        "messages": [_message(message) for message in messages],
        "model": model,
        "protocol": protocol,
        "system": system,
        "max_tokens": max_tokens,
        "temperature": temperature,
        "tools": [dict(tool) for tool in tools],
        "schema": None if schema is None else dict(schema),
    }
    return {name: value for name, value in given.items() if value is not None}


def _message(message: LlmMessage) -> dict[str, Any]:
    calls = message.get("tool_calls")
    if calls is None:
        return dict(message)
    return {**message, "tool_calls": [call.model_dump() if isinstance(call, LlmToolCall) else call for call in calls]}


def _held(schema: Mapping[str, Any]) -> dict[str, Any]:
    inner = {name: value for name, value in schema.items() if name != "$defs"}
    held = {"type": "object", "properties": {_HELD: inner}, "required": [_HELD], "additionalProperties": False}
    return {**held, "$defs": schema["$defs"]} if "$defs" in schema else held


def _checked(adapter: TypeAdapter[Any], text: str, is_held: bool) -> Any:
    """Raises ValidationError."""
    # Some models write a code fence around it, despite the instruction.
    fenced = _FENCED.fullmatch(text)
    bare = fenced.group(1) if fenced else text
    if is_held:
        with suppress(ValueError):
            value = json.loads(bare)
            if isinstance(value, dict) and _HELD in value:
                bare = json.dumps(value[_HELD])
    return adapter.validate_json(bare)


def _issues(error: ValidationError) -> list[Issue]:
    return [{"path": list(one["loc"]), "code": one["type"], "message": one["msg"]} for one in error.errors()]


def _places(error: ValidationError) -> str:
    places = [f"{'.'.join(str(part) for part in issue['path']) or '(top)'}: {issue['message']}" for issue in _issues(error)[:20]]
    return "; ".join(places)

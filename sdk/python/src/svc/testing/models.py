"""Models of tests: they answer what the test says, or a provider does, asked with the developer's own key."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import BadRequest, ModelAnswerInvalid, ModelFailed
from ..llm import _HELD, _held
from .provider import ask_provider, embed_by_provider

_MOST_EMBEDDED_TEXTS = 256


@dataclass(frozen=True)
class ScriptedRequest:
    """What the agent asked."""

    messages: Sequence[Mapping[str, Any]]
    model: str | None
    tools: Sequence[Mapping[str, Any]]
    schema: Mapping[str, Any] | None
    texts: Sequence[str] | None = None
    """It asks for vectors of these; ``None``: it asks for an answer."""


ScriptedAnswer = str | Mapping[str, Any] | Exception
"""Text; ``{"json": value}``; ``{"text": …, "tool_calls": [{"name": …, "arguments": {…}}], "finish_reason": …}``;
``{"vectors": [[…]]}``, for embed; or an error.
The error is raised."""
LlmScript = Sequence[ScriptedAnswer] | Callable[[ScriptedRequest], ScriptedAnswer | Awaitable[ScriptedAnswer]]
"""One answer for each request, in turn; or by the request."""


class TestModels:
    """The methods ``llm.*`` of the run context."""

    __test__ = False

    def __init__(self, script: LlmScript | None) -> None:
        self._script = script
        self._asked = 0
        self._open: dict[int, AsyncIterator[str | dict[str, Any]]] = {}
        self._last = 0

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        if method == "llm.generate":
            return await self._whole(params)
        if method == "llm.object":
            return await self._object(params)
        if method == "llm.start":
            self._last += 1
            self._open[self._last] = self._answer(_checked(params), stream=True)
            return {"stream": self._last}
        if method == "llm.embed":
            return await self._embed(params)
        if method == "llm.leave":
            left = self._open.pop(params["stream"], None)
            if left is not None:
                await left.aclose()  # type: ignore[attr-defined]
            return None
        piece = await anext(self._open[params["stream"]])
        return {"text": piece, "answer": None} if isinstance(piece, str) else {"text": None, "answer": piece}

    async def _whole(self, params: Mapping[str, Any]) -> dict[str, Any]:
        async for piece in self._answer(_checked(params), stream=False):
            if not isinstance(piece, str):
                return piece
        raise AssertionError("an answer ends with the whole")

    async def _embed(self, params: Mapping[str, Any]) -> dict[str, Any]:
        texts: list[str] = params["texts"]
        if not 1 <= len(texts) <= _MOST_EMBEDDED_TEXTS:
            raise BadRequest(f"ctx.llm.embed: give a list of 1 to {_MOST_EMBEDDED_TEXTS} texts")
        model = params.get("model")
        if self._script is None:
            return await asyncio.to_thread(embed_by_provider, texts, model, os.environ)
        answer = await self._next({"messages": [], "texts": texts, "model": model})
        if isinstance(answer, Exception):
            raise answer
        vectors = answer.get("vectors") if isinstance(answer, Mapping) else None
        if vectors is None or len(vectors) != len(texts):
            message = f'the agent asks for vectors of {len(texts)} texts: answer with {{"vectors": […]}}, one for each'
            raise ModelFailed(message, model_code="model_script_unfit")
        usage = {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0}
        return {"vectors": vectors, "usage": usage, "model": model or "scripted"}

    async def _object(self, params: Mapping[str, Any]) -> Any:
        """The answer is not checked against a plain JSON Schema here: the platform does that."""
        schema = params["schema"]
        is_held = schema.get("type") != "object"
        answer = await self._whole({**params, "schema": _held(schema) if is_held else schema})
        try:
            value = json.loads(answer["text"])
        except ValueError:
            raise ModelAnswerInvalid("the model's answer is no JSON") from None
        return value[_HELD] if is_held and isinstance(value, dict) and _HELD in value else value

    async def _answer(self, params: Mapping[str, Any], *, stream: bool) -> AsyncIterator[str | dict[str, Any]]:
        if self._script is None:
            asked = ask_provider(params, stream, os.environ)
            try:
                while (piece := await asyncio.to_thread(_next, asked)) is not None:
                    yield piece
            finally:
                await asyncio.to_thread(asked.close)
            return
        answer = await self._next(params)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Mapping) and "vectors" in answer:
            message = "the agent asks for an answer, and the next one of the script is vectors, for embed"
            raise ModelFailed(message, model_code="model_script_unfit")
        whole = _result(answer, params.get("model"))
        for word in re.findall(r"\s*\S+\s*", whole["text"]) if stream else ():
            await asyncio.sleep(0)
            yield word
        yield whole

    async def _next(self, params: Mapping[str, Any]) -> ScriptedAnswer:
        if callable(self._script):
            request = ScriptedRequest(
                params["messages"], params.get("model"), params.get("tools", []), params.get("schema"), params.get("texts")
            )
            answer = self._script(request)
            return await answer if isinstance(answer, Awaitable) else answer
        script = self._script or ()
        self._asked += 1
        if self._asked > len(script):
            message = f"the test scripts {len(script)} answers of models, and the agent asked once more: add one to llm"
            raise ModelFailed(message, model_code="model_script_ended")
        return script[self._asked - 1]


def _next(pieces: Iterator[str | dict[str, Any]]) -> str | dict[str, Any] | None:
    # StopIteration cannot leave a thread's future.
    return next(pieces, None)


def _checked(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Refuses what the platform does."""
    if not params["messages"]:
        raise BadRequest("ctx.llm: give a prompt, or at least one message")
    schema = params.get("schema")
    if schema is not None and params.get("tools"):
        raise BadRequest("ctx.llm: give tools or a schema, not both")
    if schema is not None and schema.get("type") != "object":
        raise BadRequest('ctx.llm: the schema must have the type "object"; object() takes every type')
    system = params.get("system")
    return params if system is None else {**params, "messages": [{"role": "system", "content": system}, *params["messages"]]}


def _result(answer: str | Mapping[str, Any], model: str | None) -> dict[str, Any]:
    said: Mapping[str, Any] = {"text": answer} if isinstance(answer, str) else answer
    calls = [{"id": f"call_{at}", **call} for at, call in enumerate(said.get("tool_calls", ()), start=1)]
    return {
        "text": json.dumps(said["json"]) if "json" in said else said.get("text", ""),
        "tool_calls": calls,
        "finish_reason": said.get("finish_reason", "tool_calls" if calls else "stop"),
        "usage": {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0},
        "model": model or "scripted",
    }

"""A provider of models as tests ask it, on both wires, only with the standard library. Elsewhere the runtime asks, in the same way."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import ModelFailed
from ..sse import EventReader, StreamTooLarge, is_whole

_PROVIDERS = {
    "openai": ("https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY", "/chat/completions"),
    "anthropic": ("https://api.anthropic.com", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "/v1/messages"),
}
_TIMEOUT_SECONDS = 300
_MAX_EVENT_LENGTH = 16 * 1024 * 1024
_ANSWER = "answer"
_ENDS = {
    "stop": "stop", "length": "length", "tool_calls": "tool_calls", "content_filter": "refusal",
    "end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "refusal",
}  # fmt: skip


def ask_provider(params: Mapping[str, Any], stream: bool, env: Mapping[str, str]) -> Generator[str | dict[str, Any]]:
    """Pieces of text, then the whole answer. Blocks. Raises ModelFailed."""
    model = params.get("model") or env.get("SVC_MODEL")
    if not model:
        message = 'no model is named: say model="…", or "default" under "models" in svc.yaml'
        raise ModelFailed(message, model_code="no_model_named")
    protocol = params.get("protocol") or ("anthropic" if model.startswith("claude") else "openai")
    body = _openai_body(params, model, stream) if protocol == "openai" else _anthropic_body(params, model, stream)
    request = _request(protocol, body, env)
    answer = _OpenAI() if protocol == "openai" else _Anthropic("schema" in params)
    with _failures(), urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as response:
        for piece in _events(response) if stream else [json.load(response)]:
            _raise_error(piece, 0)
            text = answer.take(piece)
            if stream and text:
                yield text
    yield answer.whole()


def embed_by_provider(texts: Sequence[str], named: str | None, env: Mapping[str, str]) -> dict[str, Any]:
    """Blocks. Raises ModelFailed."""
    model = named or env.get("SVC_EMBEDDING_MODEL")
    if not model:
        message = 'no model that embeds is named: say model="…", or "embedding" under "models" in svc.yaml'
        raise ModelFailed(message, model_code="no_model_named")
    request = _request("openai", {"model": model, "input": texts, "encoding_format": "float"}, env, "/embeddings")
    with _failures(), urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as response:
        said = json.load(response)
        _raise_error(said, 0)
    data = said.get("data") if isinstance(said, dict) else None
    vectors = {one.get("index", at): one["embedding"] for at, one in enumerate(data or ())}
    if sorted(vectors) != list(range(len(texts))):
        message = f"the model's answer cannot be used: it has {len(vectors)} vectors for {len(texts)} texts"
        raise ModelFailed(message, model_code="model_bad_answer")
    usage = {"input_tokens": (said.get("usage") or {}).get("prompt_tokens", 0), "cached_input_tokens": 0, "output_tokens": 0}
    return {"vectors": [vectors[at] for at in range(len(texts))], "usage": usage, "model": said.get("model") or model}


def _request(protocol: str, body: Mapping[str, Any], env: Mapping[str, str], at: str | None = None) -> urllib.request.Request:
    url, base_name, key_name, path = _PROVIDERS[protocol]
    key, base = env.get(key_name, ""), env.get(base_name, "")
    if not key and not base:
        message = f"{key_name} is not set here. Tests give answers themselves: TestAgent(…, llm=[…])"
        raise ModelFailed(message, model_code="no_model")
    headers = {"content-type": "application/json"}
    if protocol == "openai":
        headers["authorization"] = f"Bearer {key}"
    else:
        headers |= {"x-api-key": key, "anthropic-version": "2023-06-01"}
    return urllib.request.Request((base or url).rstrip("/") + (at or path), json.dumps(body).encode(), headers, method="POST")


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except urllib.error.HTTPError as error:
        _raise_error(_parsed(error.read()), error.code)
        raise ModelFailed(f"the model's endpoint answered {error.code}", model_code="model_refused", model_status=error.code) from None
    except (OSError, ValueError) as error:
        message = "the model's answer broke off, or its endpoint cannot be reached"
        raise ModelFailed(message, model_code="model_unreachable") from error


class _Collected:
    def __init__(self) -> None:
        self.text = ""
        self.model = ""
        self.end: str | None = None
        self.calls: dict[int, dict[str, str]] = {}
        self.usage = {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0}

    def say(self, text: str | None) -> str:
        self.text += text or ""
        return text or ""

    def call(self, index: int, id: str | None = None, name: str | None = None, json: str | None = None) -> None:
        known = self.calls.setdefault(index, {"id": "", "name": "", "json": ""})
        self.calls[index] = {"id": id or known["id"], "name": name or known["name"], "json": known["json"] + (json or "")}

    def whole(self) -> dict[str, Any]:
        if self.end is None:
            raise ModelFailed("the model's answer broke off before its end", model_code="model_broke_off")
        calls = [{"id": call["id"], "name": call["name"], "arguments": _arguments(call)} for _, call in sorted(self.calls.items())]
        end = _ENDS.get(self.end, "other")
        return {"text": self.text, "tool_calls": calls, "finish_reason": end, "usage": self.usage, "model": self.model}


class _OpenAI(_Collected):
    def take(self, piece: Mapping[str, Any]) -> str:
        self.model = piece.get("model") or self.model
        usage = piece.get("usage")
        if usage:
            cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
            counted = (usage["prompt_tokens"], cached, usage.get("completion_tokens", 0))
            self.usage = dict(zip(self.usage, counted, strict=True))
        if not piece.get("choices"):
            return ""
        choice = piece["choices"][0]
        said = choice.get("delta") or choice.get("message") or {}
        self.end = choice.get("finish_reason") or self.end
        for at, call in enumerate(said.get("tool_calls") or ()):
            function = call.get("function") or {}
            self.call(call.get("index", at), call.get("id"), function.get("name"), function.get("arguments"))
        return self.say(said.get("content"))


class _Anthropic(_Collected):
    def __init__(self, by_schema: bool) -> None:
        super().__init__()
        self._by_schema = by_schema

    def take(self, piece: Mapping[str, Any]) -> str:
        kind = piece.get("type")
        message = piece if kind == "message" else piece.get("message") or {}
        self.model = message.get("model") or self.model
        self._count(message.get("usage") or piece.get("usage") or {})
        self._stop(message.get("stop_reason") or (piece.get("delta") or {}).get("stop_reason"))
        if kind == "message":
            return "".join(self._begin(at, block) for at, block in enumerate(message["content"]))
        if kind == "content_block_start":
            return self._begin(piece["index"], piece["content_block"])
        if kind != "content_block_delta":
            return ""
        delta = piece["delta"]
        if "partial_json" in delta:
            return self._json(piece["index"], delta["partial_json"])
        return "" if self._by_schema else self.say(delta.get("text"))

    def _begin(self, index: int, block: Mapping[str, Any]) -> str:
        if block["type"] == "text":
            return "" if self._by_schema else self.say(block.get("text"))
        if block["type"] != "tool_use":
            return ""
        if not self._by_schema:
            self.call(index, block["id"], block["name"])
        return self._json(index, json.dumps(block["input"], ensure_ascii=False)) if block.get("input") else ""

    def _json(self, index: int, text: str) -> str:
        if self._by_schema:
            return self.say(text)
        self.call(index, json=text)
        return ""

    def _stop(self, reason: str | None) -> None:
        if reason:
            self.end = "stop" if self._by_schema and reason == "tool_use" else reason

    def _count(self, usage: Mapping[str, Any]) -> None:
        cached = usage.get("cache_read_input_tokens") or 0
        if usage.get("input_tokens") is not None:
            written = usage.get("cache_creation_input_tokens") or 0
            self.usage |= {"input_tokens": usage["input_tokens"] + cached + written, "cached_input_tokens": cached}
        if usage.get("output_tokens") is not None:
            self.usage["output_tokens"] = usage["output_tokens"]


def _openai_body(params: Mapping[str, Any], model: str, stream: bool) -> dict[str, Any]:
    body: dict[str, Any] = {"model": model, "messages": [_openai_message(message) for message in params["messages"]]}
    if "max_tokens" in params:
        body["max_completion_tokens"] = params["max_tokens"]
    if "temperature" in params:
        body["temperature"] = params["temperature"]
    if params.get("tools"):
        body["tools"] = [{"type": "function", "function": _tool(tool, "parameters")} for tool in params["tools"]]
    if "schema" in params:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": _ANSWER, "schema": params["schema"]}}
    return {**body, "stream": True, "stream_options": {"include_usage": True}} if stream else body


def _openai_message(message: Mapping[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        return {"role": "tool", "tool_call_id": message["tool_call_id"], "content": message["content"]}
    if not message.get("tool_calls"):
        return {"role": message["role"], "content": message["content"]}
    calls = [
        {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": _compact(call["arguments"])}}
        for call in message["tool_calls"]
    ]
    return {"role": "assistant", "content": message["content"] or None, "tool_calls": calls}


def _anthropic_body(params: Mapping[str, Any], model: str, stream: bool) -> dict[str, Any]:
    messages: Sequence[Mapping[str, Any]] = params["messages"]
    body: dict[str, Any] = {"model": model, "max_tokens": params.get("max_tokens", 8_192), "messages": _turns(messages)}
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    if system:
        body["system"] = system
    if "temperature" in params:
        body["temperature"] = params["temperature"]
    if params.get("tools"):
        body["tools"] = [_tool(tool, "input_schema") for tool in params["tools"]]
    if "schema" in params:
        body["tools"] = [{"name": _ANSWER, "description": "Give the answer with this tool.", "input_schema": params["schema"]}]
        body["tool_choice"] = {"type": "tool", "name": _ANSWER}
    return {**body, "stream": True} if stream else body


def _turns(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "system":
            continue
        role = "assistant" if message["role"] == "assistant" else "user"
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += _blocks(message)
        else:
            turns.append({"role": role, "content": _blocks(message)})
    return turns


def _blocks(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    if message["role"] == "tool":
        return [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}]
    text = [{"type": "text", "text": message["content"]}] if message["content"] else []
    calls = message.get("tool_calls") or ()
    return [*text, *({"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["arguments"]} for call in calls)]


def _tool(tool: Mapping[str, Any], schema_name: str) -> dict[str, Any]:
    described = {"description": tool["description"]} if "description" in tool else {}
    return {"name": tool["name"], **described, schema_name: tool.get("input_schema") or {"type": "object", "properties": {}}}


def _arguments(call: Mapping[str, str]) -> dict[str, Any]:
    value = _parsed(call["json"].encode() or b"{}")
    if isinstance(value, dict):
        return value
    message = f'the model\'s answer cannot be used: the arguments for the tool "{call["name"]}" are no JSON object'
    raise ModelFailed(message, model_code="model_bad_answer")


def _events(response: Any) -> Iterator[Mapping[str, Any]]:
    reader = EventReader(_MAX_EVENT_LENGTH)

    def said() -> Iterator[str]:
        # What has come: the words are shown as they are said.
        while chunk := response.read1(65_536):
            yield from reader.take(chunk)
        yield from filter(is_whole, reader.end())

    try:
        for data in said():
            # Without data: a heartbeat of somebody on the way.
            if data and data != "[DONE]":
                yield json.loads(data)
    except StreamTooLarge as error:
        raise ModelFailed("an event of the answer has no end", model_code="model_bad_answer") from error


def _raise_error(piece: Any, status: int) -> None:
    error = piece.get("error") if isinstance(piece, dict) else None
    if isinstance(error, dict):
        code = str(error.get("code") or error.get("type") or "model_refused")
        raise ModelFailed(str(error.get("message", "")), model_code=code, model_status=status) from None


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _compact(value: Any) -> str:
    """As JavaScript writes it: recordings are found by the request."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

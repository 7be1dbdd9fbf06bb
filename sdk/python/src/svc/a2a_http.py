"""Calls a skill of an agent over HTTP: POST /invoke/{skill}, whose answer is read as an event stream where the agent gives one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from pydantic import ValidationError

from .errors import CallFailed, SvcError
from .fetch import MAX_ANSWER_LENGTH, AnswerTooLarge, bounded, http_client, httpx
from .grant import unchecked_grant_id
from .sse import StreamTooLarge, read_events
from .types import AgentEvent, ArtifactRef, CallResult

_MAX_EVENTS = 10_000


class A2AClient:
    """``await A2AClient().call("https://greeter.example.com", "greet", {"name": "Ada"})``

    For programs outside of a run; a skill uses ``ctx.call``. Needs httpx: ``pip install 'svc-sdk[http]'``.

    locate: where an agent of this name is; without it targets are URLs.
    bearer: what to show at a URL, if anything; it is asked for each call.
    """

    def __init__(
        self,
        *,
        locate: Callable[[str], Awaitable[str]] | None = None,
        bearer: Callable[[str], str | None] | None = None,
    ) -> None:
        self._locate = locate
        self._bearer = bearer

    async def call(
        self,
        target: str,
        skill: str,
        args: Mapping[str, Any] | None = None,
        grant: str | None = None,
        timeout: float = 60.0,  # noqa: ASYNC109
    ) -> CallResult:
        """``target`` is an agent's URL, or its name where the client knows where agents are.

        Raises CallFailed with the agent's own code; ``call_timeout``, ``unreachable``, ``redirected``, ``bad_answer`` and
        ``answer_too_large`` are this client's.
        """
        failures = httpx().HTTPError, httpx().InvalidURL
        try:
            async with asyncio.timeout(timeout) as limit:
                return await self._call(target, skill, args or {}, grant, timeout)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise _failed(f"{target}/{skill} did not answer within {timeout:g} s", "call_timeout", 0) from error
        except (AnswerTooLarge, StreamTooLarge) as error:
            raise _failed(f"{target} answered more than is taken ({MAX_ANSWER_LENGTH} bytes)", "answer_too_large", 200) from error
        except failures as error:
            # httpx names addresses and ports; they are for the log.
            raise _failed(f"{target} cannot be reached", "unreachable", 0) from error

    async def _call(self, target: str, skill: str, args: Mapping[str, Any], grant: str | None, seconds: float) -> CallResult:
        url = f"{(await self._url_of(target)).rstrip('/')}/invoke/{quote(skill, safe='')}"
        headers = {"content-type": "application/json", "accept": "text/event-stream, application/json"}
        bearer = self._bearer(url) if self._bearer is not None else None
        if bearer is not None:
            headers["authorization"] = f"Bearer {bearer}"
        if grant is not None:
            headers["svc-grant"] = grant
        body = json.dumps(args, ensure_ascii=False, allow_nan=False).encode()
        async with http_client(seconds) as client, client.stream("POST", url, content=body, headers=headers) as response:
            if not 200 <= response.status_code < 300:
                raise _refusal(target, skill, response.status_code, _parsed(await bounded(response)))
            grant_id = unchecked_grant_id(grant) if grant is not None else None
            if response.headers.get("content-type", "").startswith("text/event-stream"):
                return (await _collected(response, target, skill)).model_copy(update={"grant_id": grant_id})
            text = await bounded(response)
            value = _parsed(text)
            if value is None and text.strip() != b"null":
                raise _failed(f"{target} did not answer with JSON", "bad_answer", 200)
            return CallResult(result=value, grant_id=grant_id)

    async def _url_of(self, target: str) -> str:
        if urlsplit(target).scheme in ("http", "https"):
            return target
        if self._locate is None:
            raise _failed(f'"{target}" is not a URL, and this client does not know where agents are', "agent_not_found", 404)
        return await self._locate(target)


def _failed(message: str, code: str, status: int) -> CallFailed:
    return CallFailed(message, callee_code=code, callee_status=status)


def _parsed(body: bytes | str) -> Any:
    """None for what is no JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _refusal(target: str, skill: str, status: int, body: Any) -> SvcError:
    detail = body.get("detail") if isinstance(body, dict) else None
    code = detail.get("code") if isinstance(detail, dict) else None
    if not isinstance(detail, dict) or not isinstance(code, str) or not isinstance(detail.get("message"), str):
        code = "redirected" if 300 <= status < 400 else "bad_answer"
        return _failed(f"{target}/{skill} answered {status} without saying why", code, status)
    issues = detail.get("issues")
    known = [issue for issue in issues if isinstance(issue, dict)] if isinstance(issues, list) else []
    return CallFailed(f"{target}/{skill}: {detail['message']}", callee_code=code, callee_status=status, issues=known)


async def _collected(response: Any, target: str, skill: str) -> CallResult:
    """Every event but the stream's own bookkeeping; the last one is the outcome."""
    events: list[AgentEvent] = []
    artifacts: list[ArtifactRef] = []
    length = 0
    async for data in read_events(response.aiter_raw(), MAX_ANSWER_LENGTH):
        length += len(data)
        if length > MAX_ANSWER_LENGTH or len(events) >= _MAX_EVENTS:
            raise AnswerTooLarge
        try:
            event = AgentEvent.model_validate(_parsed(data))
        except ValidationError:
            raise _failed(f"{target} sent an event that is none", "bad_answer", 200) from None
        if event.kind == "result":
            return CallResult(result=event.payload.get("result"), events=tuple(events), artifacts=tuple(artifacts))
        if event.kind == "failed":
            status = event.payload.get("status")
            raise _refusal(target, skill, status if isinstance(status, int) else 200, event.payload)
        if event.kind == "artifact":
            artifacts.extend(_artifacts(event.payload))
        events.append(event)
    raise _failed(f"{target}/{skill} broke off before its result", "unreachable", 0)


def _artifacts(payload: Mapping[str, Any]) -> list[ArtifactRef]:
    try:
        return [ArtifactRef.model_validate(payload)]
    except ValidationError:
        return []

"""Finding agents in the platform's registry, from outside a run. Inside one, ``ctx.find_agents`` knows more: what the run may call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from functools import cache
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from .errors import CallFailed
from .fetch import AnswerTooLarge, bounded, http_client, httpx
from .types import DiscoveredAgent

_MAX_BYTES = 16 * 1024 * 1024
_MAX_SEARCHED = 25
"""As many as a search answers; what comes after them is listed by name."""
_MAX_PAGES = 10
"""Of public agents that are looked through for a rare one."""


class _Listed(BaseModel):
    model_config = ConfigDict(extra="ignore", defer_build=True)

    name: str
    url: str
    tags: list[str]
    skills: list[str]


class _Detail(BaseModel):
    model_config = ConfigDict(extra="ignore", defer_build=True)

    name: str
    url: str
    card: dict[str, Any] | None


class _Page(BaseModel):
    model_config = ConfigDict(extra="ignore", defer_build=True)

    items: list[_Listed]
    next_cursor: str | None


@cache
def _model(kind: Any) -> TypeAdapter[Any]:
    # Made when first asked for: every worker imports this module, few ask the registry.
    return TypeAdapter(kind)


class ControlPlaneDiscovery:
    """``await ControlPlaneDiscovery("https://svc.example.com").find_agents(skill="greet")``

    bearer: a platform token; without one the public agents are found. Needs httpx: ``pip install 'svc-sdk[http]'``.
    """

    def __init__(self, url: str, *, bearer: str | None = None, timeout: float = 10.0) -> None:
        self._url = url.rstrip("/")
        self._bearer = bearer
        self._timeout = timeout

    async def find_agents(
        self,
        tags: Iterable[str] = (),
        capability: str | None = None,
        skill: str | None = None,
        limit: int = 10,
    ) -> list[DiscoveredAgent]:
        """At most ``limit``, best first. Raises CallFailed with code ``unreachable`` or ``bad_answer``."""
        wanted = list(tags)
        found: list[DiscoveredAgent] = []
        if limit < 1:
            return found
        async with self._registry() as registry:
            async for listed in self._listed(registry, wanted, skill):
                if not set(wanted) <= set(listed.tags) or (skill is not None and skill not in listed.skills):
                    continue
                agent = await self._get(registry, listed.name)
                if agent is not None and (capability is None or capability in agent.card.get("capabilities", {})):
                    found.append(agent)
                if len(found) >= limit:
                    break
        return found

    async def get_agent(self, name: str) -> DiscoveredAgent:
        """Raises CallFailed with code ``agent_not_found``."""
        async with self._registry() as registry:
            agent = await self._get(registry, name)
        if agent is None:
            message = f'there is no agent "{name}" to be found, or it has never been deployed'
            raise CallFailed(message, callee_code="agent_not_found", callee_status=404)
        return agent

    async def _listed(self, registry: _Registry, tags: list[str], skill: str | None) -> AsyncIterator[_Listed]:
        if self._bearer is not None:
            query = [("limit", str(_MAX_SEARCHED)), *([("skill", skill)] if skill else []), *(("tag", tag) for tag in tags)]
            best = await registry.read("/v1/agents/search", list[_Listed], query) or []
            for listed in best:
                yield listed
            if len(best) < _MAX_SEARCHED:
                return
            names = {listed.name for listed in best}
            for listed in await registry.read("/v1/agents", list[_Listed], [("limit", "1000")]) or []:
                if listed.name not in names:
                    yield listed
            return
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            query = [("limit", "100"), *([("tag", tags[0])] if tags else []), *([("cursor", cursor)] if cursor else [])]
            page = await registry.read("/v1/public/agents", _Page, query)
            if page is None:
                return
            for listed in page.items:
                yield listed
            cursor = page.next_cursor
            if cursor is None:
                return

    async def _get(self, registry: _Registry, name: str) -> DiscoveredAgent | None:
        folder = "/v1/public/agents/" if self._bearer is None else "/v1/agents/"
        detail = await registry.read(folder + quote(name, safe=""), _Detail)
        return None if detail is None or detail.card is None else DiscoveredAgent(name=detail.name, url=detail.url, card=detail.card)

    def _registry(self) -> _Registry:
        return _Registry(self._url, self._bearer, self._timeout)


class _Registry:
    """One question to the registry: all its requests together have the timeout."""

    def __init__(self, url: str, bearer: str | None, seconds: float) -> None:
        self._url = url
        self._headers = {"accept": "application/json", **({"authorization": f"Bearer {bearer}"} if bearer is not None else {})}
        self._seconds = seconds
        self._client = http_client(seconds)
        self._until = 0.0

    async def __aenter__(self) -> _Registry:
        self._until = asyncio.get_running_loop().time() + self._seconds
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def read(self, path: str, kind: Any, query: list[tuple[str, str]] | None = None) -> Any:
        """None for 404."""
        try:
            async with (
                asyncio.timeout_at(self._until),
                self._client.stream("GET", self._url + path, params=query or None, headers=self._headers) as response,
            ):
                status, body = response.status_code, await bounded(response, _MAX_BYTES)
        except TimeoutError:
            raise self._failed(f"did not answer within {self._seconds:g} s", "unreachable", 0) from None
        except (httpx().HTTPError, httpx().InvalidURL, AnswerTooLarge) as error:
            raise self._failed("cannot be reached", "unreachable", 0) from error
        if status == 404:
            return None
        try:
            if status == 200:
                return _model(kind).validate_python(json.loads(body))
        except (ValueError, RecursionError, ValidationError):
            pass
        raise self._failed(f"answered {status}{': the bearer is not accepted' if status == 401 else ''}", "bad_answer", status)

    def _failed(self, reason: str, code: str, status: int) -> CallFailed:
        return CallFailed(f"the registry at {self._url} {reason}", callee_code=code, callee_status=status)

"""Calls between agents: through the run context, or in memory for tests. Over HTTP: ``A2AClient``."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from .context import RunContext
from .errors import CallFailed, SvcError
from .types import CallResult


class AgentCaller(Protocol):
    """What agents are called with: A2AClient, RunA2AClient, InMemoryA2AClient."""

    async def call(
        self,
        target: str,
        skill: str,
        args: Mapping[str, Any] | None = None,
        grant: str | None = None,
        timeout: float = 60.0,  # noqa: ASYNC109
    ) -> CallResult:
        """Raises CallFailed with the other agent's own code."""


class RunA2AClient:
    """Calls as the run of this context: its chain and depth go along, and it ends with the run."""

    def __init__(self, ctx: RunContext[Any]) -> None:
        self._ctx = ctx

    async def call(
        self,
        target: str,
        skill: str,
        args: Mapping[str, Any] | None = None,
        grant: str | None = None,
        timeout: float = 60.0,  # noqa: ASYNC109
    ) -> CallResult:
        return await self._ctx.call(target, skill, args, grant, timeout)


class InMemoryA2AClient:
    """Routes by an agent's name to a fresh context of that agent; give it what ``TestAgent.respond`` is."""

    def __init__(self, agents: Mapping[str, Callable[[str, Mapping[str, Any], str | None], Awaitable[CallResult]]]) -> None:
        self._agents = dict(agents)

    async def call(
        self,
        target: str,
        skill: str,
        args: Mapping[str, Any] | None = None,
        grant: str | None = None,
        timeout: float = 60.0,  # noqa: ASYNC109
    ) -> CallResult:
        respond = self._agents.get(target)
        if respond is None:
            known = ", ".join(self._agents) or "none"
            raise CallFailed(
                f'there is no agent "{target}" here; there are: {known}',
                callee_code="agent_not_found",
                callee_status=404,
            )
        try:
            return await asyncio.wait_for(respond(skill, args or {}, grant), timeout)
        except TimeoutError:
            message = f'"{target}" did not answer within {timeout:g} s'
            raise CallFailed(message, callee_code="call_timeout", callee_status=0) from None
        except SvcError as error:
            raise CallFailed(
                f'"{target}" refused: {error}',
                callee_code=error.code,
                callee_status=error.status,
                issues=getattr(error, "issues", ()),
            ) from error

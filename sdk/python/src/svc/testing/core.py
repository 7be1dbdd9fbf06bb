"""What all parts of a test's run context share: what the skill reported, and what the test gave."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..bridge import Level
from ..errors import SecretMissing, SvcError
from ..grant import Grant, verify_grant
from ..types import AgentEvent

if TYPE_CHECKING:
    from .agent import TestAgent

Reply = str | Mapping[str, Any] | None
Answer = Reply | Callable[[str], Reply | Awaitable[Reply]]
"""What a person says: always the same, or by the prompt; a form is filled in by a mapping; None lets the question time out."""
Approve = Callable[[Mapping[str, Any]], bool]

TEST_KEY = b"a key of tests, known to anybody!"[:32]


class BridgeCore:
    def __init__(self, agent: TestAgent[Any], skill: str, grant: str | None) -> None:
        self._agent = agent
        self._skill = skill
        self.events: list[AgentEvent] = []
        self.artifacts: dict[str, bytes] = {}
        self.patches: list[dict[str, Any]] = []
        self.cancelled: SvcError | None = None
        self.deadline: float | None = None
        name = agent.card["name"]
        self.grant = verify_grant(grant, TEST_KEY, audience=name) if grant is not None else None
        self._views: list[Grant] = []

    async def emit(self, kind: str, payload: Mapping[str, Any]) -> None:
        self.check_cancelled()
        self.events.append(AgentEvent(kind=kind, payload=dict(payload)))
        await asyncio.sleep(0)

    def check_cancelled(self) -> None:
        if self.cancelled is not None:
            raise self.cancelled

    def secret(self, name: str) -> str:
        if name not in self._agent.secrets:
            raise SecretMissing(f'the secret "{name}" is not set for this agent')
        return self._agent.secrets[name]

    def write_log(self, level: Level, message: str, fields: Mapping[str, Any]) -> None:
        self._agent.log.append({"level": level, "message": message, **fields})

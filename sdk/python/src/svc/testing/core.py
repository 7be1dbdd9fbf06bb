"""What all parts of a test's run context share: what the skill reported, and what the test gave."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..auth import Caller
from ..bridge import Level
from ..errors import SecretMissing, SvcError
from ..grant import Grant, verify_grant
from ..recipient import Recipient, Role
from ..types import AgentEvent

if TYPE_CHECKING:
    from .agent import TestAgent

Reply = str | Mapping[str, Any] | None
Answer = Reply | Callable[[str], Reply | Awaitable[Reply]]
"""What a person says: always the same, or by the prompt; a form is filled in by a mapping; None lets the question time out."""
Approve = Callable[[Mapping[str, Any]], bool]

Who = Caller | Literal["unnamed"] | None
"""unnamed: a signed-in user whom the skill cannot name. None: somebody who is not signed in."""


@dataclass(frozen=True)
class Person:
    """Whom ``ctx.ask`` may name."""

    email: str
    id: str | None = None
    role: Role | None = None
    """In the organization that owns the agent; None: the agent gave them scopes."""

    def is_called(self, name: str | None) -> bool:
        return name is not None and (name == self.id or name.lower() == self.email.lower())


@dataclass(frozen=True)
class Asked:
    """A question that a skill asked."""

    prompt: str
    of: Recipient


TEST_KEY = b"a key of tests, known to anybody!"[:32]


class BridgeCore:
    def __init__(self, agent: TestAgent[Any], skill: str, grant: str | None, caller: Who = "unnamed") -> None:
        self._agent = agent
        self._caller = caller
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

"""An agent in memory, and its runs."""

from __future__ import annotations

import asyncio
import copy
import json
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic

from pydantic import BaseModel, ValidationError
from typing_extensions import TypeVar

from ..agent import Agent
from ..auth import Caller, NoAuth, auth_model_of, principal_json, require_scopes
from ..context import LifecycleContext, RunContext, shaped_auth
from ..declare import declare
from ..errors import (
    AgentNotReady,
    CancelledByCaller,
    SkillInputError,
    SkillInvocationError,
    SkillNotFound,
    SkillOutputError,
    SkillTimeout,
    SvcError,
)
from ..exact import refuse_inexact
from ..invoke import invoke, settled
from ..policies import setup_of
from ..traces import by_field, described
from ..types import AgentEvent, CallResult
from .bridge import MemoryBridge
from .core import Answer, Approve, Asked, Person, Who
from .models import LlmScript, TestModels

AgentT = TypeVar("AgentT", bound=Agent[Any])


@dataclass
class TestResult:
    """What a caller gets: the result, and what the skill reported on its way."""

    __test__ = False
    result: Any
    events: list[AgentEvent]
    artifacts: dict[str, bytes]
    patches: list[dict[str, Any]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text deltas together."""
        return "".join(str(event.payload.get("text", "")) for event in self.events if event.kind == "text_delta")


class TestAgent(Generic[AgentT]):
    __test__ = False

    def __init__(
        self,
        cls: type[AgentT],
        *,
        config: Mapping[str, Any] | None = None,
        secrets: Mapping[str, str] | None = None,
        setup: Mapping[str, str | int | float | bool] | None = None,
        auth: BaseModel | None = None,
        answer: Answer | None = None,
        approve: Approve | None = None,
        files: Mapping[str, bytes | str] | None = None,
        agents: Iterable[TestAgent[Any]] = (),
        llm: LlmScript | None = None,
        caller: Who = "unnamed",
        people: Iterable[Person] = (),
    ) -> None:
        """files: the caller's workspace. approve: decides on wishes for wider access; default: granted. agents: who can be called.
        llm: what language models answer, in turn or by the request; default: OpenAI and Anthropic are asked, with the keys of the
        environment. caller: who calls, by the platform's word (``ctx.caller``), each with a memory of their own; None: somebody who is not
        signed in. people: whom ``ctx.ask`` may name, by address, id or role; default: nobody.

        Raises AgentDeclarationError, AgentNotReady.
        """
        self.declaration = declare(cls)
        self.agent = cls()
        try:
            self.agent.configure(config or {})
        except ValidationError as error:
            raise AgentNotReady(f"the configuration does not fit: {by_field(error)}") from None
        self.secrets = dict(secrets or {})
        self.setup = setup_of(self.card, setup or {})
        self.auth = auth if auth is not None else NoAuth()
        self.answer = answer
        self.approve = approve or (lambda wish: True)
        self.files = {path: data.encode() if isinstance(data, str) else data for path, data in (files or {}).items()}
        self.memory: dict[tuple[str, str], dict[str, Any]] = {}
        """What the agent remembers of the unnamed caller, by namespace and key."""
        self.shared_memory: dict[tuple[str, str], dict[str, Any]] = {}
        """What it keeps for all."""
        self._memories: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
        self.caller: Who = caller
        self.people = tuple(people)
        self.asked: list[Asked] = []
        """What skills asked, and whom."""
        self.meta_runs: dict[str, dict[str, Any]] = {}
        self.tracked: list[dict[str, Any]] = []
        """What skills reported with ``ctx.track_call``."""
        self.log: list[dict[str, Any]] = []
        self.others = {other.card["name"]: other for other in agents}
        self.models = TestModels(llm)
        self._started = False

    @property
    def card(self) -> dict[str, Any]:
        return self.declaration.card

    async def invoke(self, skill: str, /, *, auth: BaseModel | None = None, grant: str | None = None, **args: Any) -> TestResult:
        """Raises what a caller would see: SkillInputError, MissingScopes, SkillInvocationError …"""
        return await self.start(skill, args, auth=auth, grant=grant).result()

    def start(self, skill: str, args: Mapping[str, Any], *, auth: BaseModel | None = None, grant: str | None = None) -> TestRun:
        """A run that can be cancelled."""
        return TestRun(self, skill, args, auth if auth is not None else self.auth, grant)

    def called_by(self, caller: Who) -> TestAgent[AgentT]:
        """The same agent, with the same memories, as somebody else calls it."""
        other = copy.copy(self)
        other.caller = caller
        return other

    def memory_of(self, sub: str) -> dict[tuple[str, str], dict[str, Any]]:
        """What it remembers of one caller."""
        return self._memories.setdefault(sub, {})

    async def respond(self, skill: str, args: Mapping[str, Any], grant: str | None) -> CallResult:
        """As a callee: what an InMemoryA2AClient calls."""
        done = await self.start(skill, args, grant=grant).result()
        refs = [event.payload for event in done.events if event.kind == "artifact"]
        return CallResult.model_validate({"result": done.result, "events": done.events, "artifacts": refs})

    async def shutdown(self) -> None:
        if self._started:
            await settled(self.agent.shutdown(LifecycleContext(MemoryBridge(self, "", None))))
        self._started = False

    async def _startup(self) -> None:
        if self._started:
            return
        self._started = True
        await settled(self.agent.startup(LifecycleContext(MemoryBridge(self, "", None))))


class TestRun:
    __test__ = False

    def __init__(self, agent: TestAgent[Any], skill: str, args: Mapping[str, Any], auth: BaseModel, grant: str | None) -> None:
        self._bridge = MemoryBridge(agent, skill, grant, agent.caller)
        self._task = asyncio.ensure_future(self._drive(agent, skill, args, auth))

    def cancel(self, error: SvcError | None = None) -> None:
        self._bridge.cancelled = error or CancelledByCaller()
        self._task.cancel()

    @property
    def events(self) -> list[AgentEvent]:
        """So far."""
        return self._bridge.events

    async def result(self) -> TestResult:
        try:
            value = await self._task
        except asyncio.CancelledError:
            if self._bridge.cancelled is None:
                raise
            raise self._bridge.cancelled from None
        bridge = self._bridge
        for patch in bridge.patches:
            bridge.commit(patch)
        return TestResult(result=value, events=bridge.events, artifacts=bridge.artifacts, patches=bridge.patches)

    async def _drive(self, agent: TestAgent[Any], skill: str, args: Mapping[str, Any], auth: BaseModel) -> Any:
        bound = agent.declaration.skills.get(skill)
        if bound is None:
            raise SkillNotFound(f'there is no skill "{skill}"; this agent has: {", ".join(agent.declaration.skills)}')
        model = auth_model_of(type(agent.agent))
        if not isinstance(auth, (model, NoAuth)):
            auth = shaped_auth(model, principal_json(auth))
        caller = agent.caller if isinstance(agent.caller, Caller) else None
        require_scopes(auth, bound.card["scopes"], caller)
        arguments = dict(args)
        try:
            _require_exact(arguments)
        except ValueError as error:
            raise SkillInputError(str(error)) from None
        bound.arguments(arguments)
        await agent._startup()
        seconds = bound.card["policy"]["timeout_seconds"] or agent.card["runtime"]["resources"]["max_runtime_seconds"]
        self._bridge.deadline = time.time() + seconds
        ctx: RunContext[Any] = RunContext(
            self._bridge,
            run_id=f"run_{uuid.uuid4()}",
            request_id="req_test",
            skill=skill,
            auth=auth,
            caller=caller,
            grant=self._bridge.grant,
            setup=agent.setup,
        )
        try:
            async with asyncio.timeout(seconds) as limit:
                return _exact_result(await invoke(agent.agent, bound, ctx, arguments))
        except SvcError:
            raise
        except Exception as error:
            if isinstance(error, TimeoutError) and limit.expired():
                raise SkillTimeout(f'skill "{skill}" did not finish within {seconds} s') from None
            raise SkillInvocationError(f'skill "{skill}" failed: {described(error)}') from error


def _require_exact(value: Any) -> None:
    """As the platform: a whole number that would arrive as another one is refused, in both directions. Raises ValueError."""
    refuse_inexact(json.dumps(value, default=str).encode())


def _exact_result(value: Any) -> Any:
    try:
        _require_exact(value)
    except ValueError as error:
        raise SkillOutputError(f"the result is not a JSON value: {error}") from None
    return value

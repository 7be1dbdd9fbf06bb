"""The run context: what a skill can do besides computing."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, Generic, Literal, cast

from pydantic import BaseModel, ValidationError
from typing_extensions import TypeVar

from .auth import Caller, NoAuth, require_scopes
from .bridge import Bridge, Level
from .errors import AuthError
from .grant import Grant
from .llm import Llm
from .memory import Memory
from .meta_runs import MetaRuns
from .policies import WorkspaceMode
from .recipient import Recipient, checked_recipient
from .sandbox import Sandbox
from .traces import by_field
from .types import AgentEvent, ArtifactRef, CallResult, DiscoveredAgent
from .workspace import Workspace

_NOBODY = NoAuth()
_NOTHING: Mapping[str, str | int | float | bool] = MappingProxyType({})

AuthT = TypeVar("AuthT", bound=BaseModel, default=NoAuth)

_KIND = re.compile(r"[a-z][a-z0-9_.-]{0,63}")
_RESERVED = frozenset({"status", "question", "scope_request", "platform_wait", "result", "failed", "receipt"})


class Log:
    """The agent's log. Fields are JSON values."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    def debug(self, message: str, **fields: Any) -> None:
        self._write("debug", message, fields)

    def info(self, message: str, **fields: Any) -> None:
        self._write("info", message, fields)

    def warn(self, message: str, **fields: Any) -> None:
        self._write("warn", message, fields)

    warning = warn

    def error(self, message: str, **fields: Any) -> None:
        self._write("error", message, fields)

    def _write(self, level: Level, message: str, fields: Mapping[str, Any]) -> None:
        self._bridge.write_log(level, message, fields)


class LifecycleContext:
    """Given to ``startup`` and ``shutdown``."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    # Here and below: made when first asked for, since most runs ask for none of them.
    @cached_property
    def log(self) -> Log:
        return Log(self._bridge)

    def secret(self, name: str) -> str:
        """One of the agent's secrets. Raises SecretMissing."""
        return self._bridge.secret(name)


class RunContext(LifecycleContext, Generic[AuthT]):
    """The first parameter of every skill. ``RunContext[PlatformUserAuth]`` says what ``ctx.auth`` is."""

    def __init__(
        self,
        bridge: Bridge,
        *,
        run_id: str,
        request_id: str,
        skill: str,
        auth: AuthT,
        caller: Caller | None = None,
        grant: Grant | None = None,
        setup: Mapping[str, str | int | float | bool] | None = None,
        trace: Mapping[str, str] | None = None,
    ) -> None:
        self._bridge = bridge
        self.run_id = run_id
        self.request_id = request_id
        self.skill = skill
        self.auth = auth
        self.caller = caller
        """Who calls, by the platform's word, whatever the resolver found; None: nobody is known, or no platform is between."""
        self.grant = grant
        """What the caller passed on, verified; None when nothing."""
        self.setup: Mapping[str, str | int | float | bool] = MappingProxyType(dict(setup)) if setup else _NOTHING
        """What the caller set for this agent (``consumer_setup``), with defaults; secrets among it."""
        self.trace: Mapping[str, str] = MappingProxyType(dict(trace or {}))
        """``traceparent`` and ``tracestate`` (W3C), for spans of your own: OpenTelemetry's propagator reads them as they are.
        Empty where the platform did not call."""

    @property
    def deadline(self) -> float | None:
        """Epoch seconds by which the skill must be done; None where nothing bounds it. It moves on while the run waits for a person."""
        return self._bridge.deadline

    @cached_property
    def workspace(self) -> Workspace:
        return Workspace(self._bridge, self.grant)

    @cached_property
    def sandbox(self) -> Sandbox:
        return Sandbox(self._bridge)

    @cached_property
    def memory(self) -> Memory:
        """What the agent remembers, between runs, of the person it works for."""
        return Memory(self._bridge)

    @cached_property
    def shared_memory(self) -> Memory:
        """What the agent keeps for all whom it works for, callers without an account included; its owner reads it through the API, too.

        What a caller may see of it, the agent decides.
        """
        return Memory(self._bridge, shared=True)

    @cached_property
    def llm(self) -> Llm:
        """Language models, as ``models`` of svc.yaml declares them."""
        return Llm(self._bridge)

    @cached_property
    def meta_runs(self) -> MetaRuns:
        """What this agent works at, over many runs, for the person the run works for."""
        return MetaRuns(self._bridge)

    async def track_call(
        self,
        grant: str,
        skill: str,
        state: Literal["running", "succeeded", "failed", "cancelled"],
        *,
        started_at: str,
        ended_at: str | None = None,
        args: Mapping[str, Any] | None = None,
        output_sha256: str | None = None,
        error_code: str | None = None,
    ) -> None:
        """Reports a call of another agent that did not go through the platform. Times are RFC 3339; the same again changes nothing.

        grant: the token that it was made with. args: kept, so that its user can make it again.
        """
        params = {
            "grant": grant,
            "skill": skill,
            "state": state,
            "started_at": started_at,
            "ended_at": ended_at,
            "args": None if args is None else dict(args),
            "output_sha256": output_sha256,
            "error_code": error_code,
        }
        await self._bridge.call("track_call", params)

    async def emit_progress(self, message: str, progress: float | None = None, total: float | None = None) -> None:
        """Reports the progress of the skill. Like all emits it returns when the reader can take more."""
        payload: dict[str, Any] = {"message": message}
        if progress is not None:
            payload["progress"] = progress
        if total is not None:
            payload["total"] = total
        await self._bridge.emit("progress", payload)

    async def emit_text_delta(self, text: str) -> None:
        await self._bridge.emit("text_delta", {"text": text})

    async def emit_event(self, event: AgentEvent) -> None:
        """An event of any kind but those the runtime writes itself. Raises ValueError for one of these."""
        if not _KIND.fullmatch(event.kind):
            raise ValueError(f'event kind {event.kind!r}: use lower-case letters, digits, "_", "." and "-" (64 at most)')
        if event.kind in _RESERVED:
            raise ValueError(f'"{event.kind}" is written by the runtime only; choose a kind of your own')
        await self._bridge.emit(event.kind, event.payload)

    async def emit_artifact(self, artifact: ArtifactRef) -> None:
        await self._bridge.emit("artifact", artifact.model_dump(mode="json"))

    async def emit_error(self, message: str, code: str | None = None) -> None:
        """Reports a problem to the caller; the skill continues."""
        await self._bridge.emit("error", {"message": message, "code": code})

    async def write_artifact(self, name: str, data: bytes | str, mime_type: str) -> ArtifactRef:
        """Stores what the skill made, for its caller to fetch."""
        content = data.encode() if isinstance(data, str) else data
        params = {"name": name, "data": base64.b64encode(content).decode("ascii"), "mime_type": mime_type}
        return ArtifactRef.model_validate(await self._bridge.call("write_artifact", params))

    def check_cancelled(self) -> None:
        """Raises CancelledByCaller (or SkillTimeout) when the run was cancelled or is over its time, also in code that never awaits."""
        self._bridge.check_cancelled()

    def require_scopes(self, required: Iterable[str] | str) -> None:
        """Raises MissingScopes."""
        require_scopes(self.auth, [required] if isinstance(required, str) else required, self.caller)

    async def ask(
        self,
        prompt: str,
        timeout: float = 180.0,  # noqa: ASYNC109 (the specification's name)
        *,
        schema: Mapping[str, Any] | None = None,
        of: Recipient = "caller",
        name: str | None = None,
    ) -> str:
        """Asks the person the run works for; the skill pauses, its clock stands still.

        Raises QuestionTimeout, QuestionDeclined, NobodyToAsk.

        With a JSON Schema the person fills in a form, and the answer is its JSON text:
        ``Order.model_validate_json(await ctx.ask("What?", schema=Order.model_json_schema()))``.
        Plain fields (text, number, yes or no, one of a list) are shown as such; no ``$ref``, no ``pattern``.

        of: who is asked. ``"caller"``: the account the run works for. ``"owner"``: the account that owns the agent, of an organization
        its members by their roles. ``{"people": ["cfo@example.com"]}``: by addresses or account ids, members of that organization or
        accounts that have called the agent and have scopes of it (``svc callers grant``). ``{"role": "admin"}``: any member of that
        organization who has it. What others are asked, the caller neither reads nor answers, unless they are named; they see that it
        waits and for whom. Where nobody can be asked, NobodyToAsk is raised at once.

        name: what the answer is called, the key of the input at clients that file inputs by name (MCP ``inputRequests``). Letters,
        digits, "_", "-" and "."; unique among the open questions of a run. Default: the question's id.
        """
        whom = checked_recipient(of)
        form: dict[str, Any] = {} if schema is None else {"schema": dict(schema)}
        told: dict[str, Any] = {**({} if whom == "caller" else {"of": whom}), **({} if name is None else {"name": name})}
        return str(await self._bridge.call("ask", {"prompt": prompt, "timeout": timeout, **form, **told}))

    async def answer(self, question_id: str, answer: str) -> bool:
        """Answers a question that is open in this agent. False when there is no such question."""
        return bool(await self._bridge.call("answer", {"question_id": question_id, "answer": answer}))

    async def call(
        self,
        target: str,
        skill: str,
        args: Mapping[str, Any] | None = None,
        grant: str | None = None,
        timeout: float = 60.0,  # noqa: ASYNC109
    ) -> CallResult:
        """Runs a skill of another agent, by its name or its URL from find_agents. Ends with this run. Raises CallFailed.

        ``grant`` is a token from ``ctx.workspace.delegate``.
        """
        params = {"target": target, "skill": skill, "args": dict(args or {}), "grant": grant, "timeout": timeout}
        return CallResult.model_validate(await self._bridge.call("call", params))

    async def request_scope(
        self,
        reason: str,
        read: Iterable[str] = (),
        write_prefix: str | None = None,
        ttl_seconds: int = 60,
        mode: WorkspaceMode = "read_only",
        timeout: float = 60.0,  # noqa: ASYNC109
    ) -> Grant:
        """Asks for a wider grant, which is verified, installed on the workspace and returned; the skill pauses.

        Raises ScopeExpansionNotAllowed where the skill did not declare allow_scope_expansion, ScopeDenied.
        """
        params = {
            "reason": reason,
            "read": list(read),
            "write_prefix": write_prefix,
            "ttl_seconds": ttl_seconds,
            "mode": mode,
            "timeout": timeout,
        }
        grant = Grant.model_validate(await self._bridge.call("request_scope", params))
        self.workspace._hold(grant)
        return grant

    async def deny_scope(self, request_id: str, reason: str) -> bool:
        """False when no such request is open."""
        return bool(await self._bridge.call("deny_scope", {"request_id": request_id, "reason": reason}))

    async def resolve_scope_grant(self, request_id: str, grant_token: str) -> bool:
        """False when no such request is open. Raises GrantInvalid."""
        params = {"request_id": request_id, "grant_token": grant_token}
        return bool(await self._bridge.call("resolve_scope_grant", params))

    async def find_agents(
        self,
        tags: Iterable[str] = (),
        capability: str | None = None,
        skill: str | None = None,
        limit: int = 10,
    ) -> list[DiscoveredAgent]:
        """Agents this run may call: with all the tags, the capability, the skill."""
        params = {"tags": list(tags), "capability": capability, "skill": skill, "limit": limit}
        return [DiscoveredAgent.model_validate(found) for found in await self._bridge.call("find_agents", params)]

    async def get_agent(self, name: str) -> DiscoveredAgent:
        """Raises CallFailed when there is none of that name."""
        return DiscoveredAgent.model_validate(await self._bridge.call("get_agent", {"name": name}))

    @property
    def seconds_left(self) -> float | None:
        """None where nothing bounds the run."""
        deadline = self.deadline
        return None if deadline is None else max(0.0, deadline - time.time())


def shaped_auth(model: type[AuthT], principal: Mapping[str, Any]) -> AuthT:
    """The principal as the agent's auth_model; NoAuth where nobody is known. Raises AuthError."""
    if model is NoAuth or (not principal and any(field.is_required() for field in model.model_fields.values())):
        # Frozen and without members: one serves all.
        return cast(AuthT, _NOBODY)
    try:
        return model.model_validate(dict(principal))
    except ValidationError as error:
        raise AuthError(f"the principal does not fit {model.__name__}: {by_field(error)}") from None

"""Call an agent's skills in memory, with everything between caller and handler but the network.

``agent = TestAgent(Greeter); assert (await agent.invoke("greet", name="Ada")).result == "Hello, Ada"``
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, cast

from pydantic import BaseModel, ValidationError
from typing_extensions import TypeVar

from .a2a import InMemoryA2AClient
from .agent import Agent
from .auth import NoAuth, auth_model_of, principal_json, require_scopes
from .bridge import Level
from .context import LifecycleContext, RunContext, shaped_auth
from .declare import declare
from .errors import (
    AgentNotReady,
    CancelledByCaller,
    FileNotFound,
    GrantInvalid,
    QuestionTimeout,
    SandboxUnavailable,
    ScopeDenied,
    ScopeExpansionNotAllowed,
    SecretMissing,
    SkillInputError,
    SkillInvocationError,
    SkillNotFound,
    SkillOutputError,
    SkillTimeout,
    SvcError,
    WorkspaceDenied,
)
from .exact import refuse_inexact
from .grant import Grant, mint_grant, verify_grant
from .invoke import invoke, settled
from .patterns import is_under, matches_any
from .policies import setup_of
from .testing_models import LlmScript as LlmScript
from .testing_models import ScriptedAnswer as ScriptedAnswer
from .testing_models import ScriptedRequest as ScriptedRequest
from .testing_models import TestModels
from .testing_policy import require_allowed, require_workspace
from .traces import by_field, described
from .types import AgentEvent, CallResult

Reply = str | Mapping[str, Any] | None
Answer = Reply | Callable[[str], Reply | Awaitable[Reply]]
"""What a person says: always the same, or by the prompt; a form is filled in by a mapping; None lets the question time out."""
Approve = Callable[[Mapping[str, Any]], bool]

_TEST_KEY = b"a key of tests, known to anybody!"[:32]
_BUCKET = "usr:test"

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
    ) -> None:
        """files: the caller's workspace. approve: decides on wishes for wider access; default: granted. agents: who can be called.
        llm: what language models answer, in turn or by the request; default: OpenAI and Anthropic are asked, with the keys of the
        environment.

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
        self.meta_runs: dict[str, dict[str, Any]] = {}
        self.tracked: list[dict[str, Any]] = []
        """What skills reported with ``ctx.track_call``."""
        """What the agent remembers, by namespace and key."""
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

    async def respond(self, skill: str, args: Mapping[str, Any], grant: str | None) -> CallResult:
        """As a callee: what an InMemoryA2AClient calls."""
        done = await self.start(skill, args, grant=grant).result()
        refs = [event.payload for event in done.events if event.kind == "artifact"]
        return CallResult.model_validate({"result": done.result, "events": done.events, "artifacts": refs})

    async def shutdown(self) -> None:
        if self._started:
            await settled(self.agent.shutdown(LifecycleContext(_MemoryBridge(self, "", None))))
        self._started = False

    async def _startup(self) -> None:
        if self._started:
            return
        self._started = True
        await settled(self.agent.startup(LifecycleContext(_MemoryBridge(self, "", None))))


class TestRun:
    __test__ = False

    def __init__(self, agent: TestAgent[Any], skill: str, args: Mapping[str, Any], auth: BaseModel, grant: str | None) -> None:
        self._bridge = _MemoryBridge(agent, skill, grant)
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
        require_scopes(auth, bound.card["scopes"])
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


class _MemoryBridge:
    """The run context over what the test gave: answers, files, other agents."""

    def __init__(self, agent: TestAgent[Any], skill: str, grant: str | None) -> None:
        self._agent = agent
        self._skill = skill
        self.events: list[AgentEvent] = []
        self.artifacts: dict[str, bytes] = {}
        self.patches: list[dict[str, Any]] = []
        self.cancelled: SvcError | None = None
        self.deadline: float | None = None
        name = agent.card["name"]
        self.grant = verify_grant(grant, _TEST_KEY, audience=name) if grant is not None else None
        self._views: list[Grant] = []

    async def emit(self, kind: str, payload: Mapping[str, Any]) -> None:
        self.check_cancelled()
        self.events.append(AgentEvent(kind=kind, payload=dict(payload)))
        await asyncio.sleep(0)

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        self.check_cancelled()
        if method.startswith("sandbox."):
            raise SandboxUnavailable("no sandbox here: sandboxes come with the platform")
        if method.startswith("llm."):
            return await self._agent.models.call(method, params)
        handler = cast(Callable[..., Awaitable[Any]], getattr(self, f"_{method.replace('.', '_')}"))
        return await handler(**params)

    def check_cancelled(self) -> None:
        if self.cancelled is not None:
            raise self.cancelled

    def secret(self, name: str) -> str:
        if name not in self._agent.secrets:
            raise SecretMissing(f'the secret "{name}" is not set for this agent')
        return self._agent.secrets[name]

    def write_log(self, level: Level, message: str, fields: Mapping[str, Any]) -> None:
        self._agent.log.append({"level": level, "message": message, **fields})

    def commit(self, patch: dict[str, Any]) -> None:
        if patch["operation"] == "delete":
            self._agent.files.pop(patch["path"], None)
        else:
            self._agent.files[patch["path"]] = patch.pop("content")
        patch["state"] = "committed"

    # methods of the run context, by their names on the wire

    async def _write_artifact(self, name: str, data: str, mime_type: str) -> dict[str, Any]:
        content = base64.b64decode(data)
        self.artifacts[name] = content
        ref = {"name": name, "uri": f"memory:{name}", "mime_type": mime_type, "size_bytes": len(content)}
        await self.emit("artifact", ref)
        return ref

    async def _ask(self, prompt: str, timeout: float, schema: Mapping[str, Any] | None = None, of: str = "caller") -> str:  # noqa: ASYNC109
        form = {} if schema is None else {"schema": dict(schema)}
        if of == "caller":
            await self.emit("question", {"question_id": f"qst_{uuid.uuid4()}", "prompt": prompt, **form})
        said = self._agent.answer
        answer = said(prompt) if callable(said) else said
        if isinstance(answer, Awaitable):
            answer = await answer
        if answer is None:
            raise QuestionTimeout(f"no answer to the question within {timeout:g} s")
        # The platform holds a form's answer against the schema before the skill gets it; here the test says what it is.
        return answer if isinstance(answer, str) else json.dumps(answer)

    async def _answer(self, question_id: str, answer: str) -> bool:
        return False

    async def _call(
        self,
        target: str,
        skill: str,
        args: Mapping[str, Any],
        grant: str | None,
        timeout: float,  # noqa: ASYNC109
    ) -> dict[str, Any]:
        others = InMemoryA2AClient({name: other.respond for name, other in self._agent.others.items()})
        return (await others.call(target, skill, args, grant, timeout)).model_dump(mode="json")

    async def _meta_runs_create(self, **given: Any) -> dict[str, Any]:
        made = {"id": f"mrn_{uuid.uuid4()}", "version": 0, "created_at": _now(), **given}
        return self._changed(made, {})

    async def _meta_runs_get(self, id: str) -> dict[str, Any] | None:
        return self._agent.meta_runs.get(id)

    async def _meta_runs_list(self, state: str, limit: int, cursor: str | None) -> dict[str, Any]:
        every = [one for one in reversed(self._agent.meta_runs.values()) if state == "all" or one["ended_at"] is None]
        start = next((at + 1 for at, one in enumerate(every) if one["id"] == cursor), 0)
        items = every[start : start + limit]
        more = items and start + limit < len(every)
        return {"items": items, "next_cursor": items[-1]["id"] if more else None}

    async def _meta_runs_update(self, id: str, version: int, **change: Any) -> dict[str, Any] | None:
        before = self._agent.meta_runs.get(id)
        if before is None:
            raise SkillInvocationError(f"there is no meta-run {id}", status=404)
        if before["ended_at"] is not None:
            raise SkillInvocationError(f"it has ended ({before['status']}): start another one for the rest", status=409)
        return self._changed(before, change) if before["version"] == version else None

    def _changed(self, before: dict[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
        after = {**before, **{name: value for name, value in change.items() if value is not None}}
        over = after["status"] in ("succeeded", "failed", "cancelled")
        after |= {"version": before["version"] + 1, "updated_at": _now(), "ended_at": _now() if over else None}
        self._agent.meta_runs[after["id"]] = after
        return after

    async def _track_call(self, **call: Any) -> None:
        self._agent.tracked.append(call)

    async def _memory_get(self, key: str, namespace: str) -> dict[str, Any] | None:
        return self._agent.memory.get((namespace, key))

    async def _memory_put(
        self, key: str, value: Any, namespace: str, metadata: dict[str, Any], ttl_seconds: int | None, if_version: int | None
    ) -> dict[str, Any] | None:
        before = self._agent.memory.get((namespace, key))
        version = before["version"] if before else 0
        if if_version is not None and if_version != version:
            return None
        now = datetime.now(UTC)
        expires = None if ttl_seconds is None else (now + timedelta(seconds=ttl_seconds)).isoformat()
        entry = {
            "namespace": namespace,
            "key": key,
            "value": json.loads(json.dumps(value)),
            "metadata": metadata,
            "version": version + 1,
            "expires_at": expires,
            "created_at": before["created_at"] if before else now.isoformat(),
            "updated_at": now.isoformat(),
        }
        self._agent.memory[namespace, key] = entry
        return entry

    async def _memory_delete(self, key: str, namespace: str) -> bool:
        return self._agent.memory.pop((namespace, key), None) is not None

    async def _memory_list(self, namespace: str | None, prefix: str | None, limit: int, cursor: str | None) -> dict[str, Any]:
        places = [place for place in sorted(self._agent.memory) if namespace in (None, place[0])]
        after = [place for place in places if place[1].startswith(prefix or "") and (not cursor or " ".join(place) > cursor)]
        items = [self._agent.memory[place] for place in after[:limit]]
        return {"items": items, "next_cursor": " ".join(after[limit - 1]) if len(after) > limit else None}

    async def _memory_search(self, query: str, namespace: str | None, limit: int) -> list[dict[str, Any]]:
        words = query.lower().split()
        page = await self._memory_list(namespace, None, len(self._agent.memory) + 1, None)
        found = [entry for entry in page["items"] if words and all(word in json.dumps(entry).lower() for word in words)]
        return [{**entry, "score": 1.0} for entry in found[:limit]]

    async def _request_scope(self, **wish: Any) -> dict[str, Any]:
        policy = self._agent.card["workspace_access"]
        if not self._agent.declaration.skills[self._skill].card["policy"]["allow_scope_expansion"]:
            raise ScopeExpansionNotAllowed(f'skill "{self._skill}" did not declare allow_scope_expansion=True')
        held = self.grant.allow_patterns if self.grant is not None else ()
        prefix = wish["write_prefix"]
        require_allowed(policy, wish["read"], prefix, wish["mode"], wish["reason"], {}, named=False)
        folder = () if prefix is None else (f"{prefix.rstrip('/')}/**",)
        patterns = dict.fromkeys((*held, *wish["read"], *folder))
        grant = self._granted(wish, patterns, wish["mode"], prefix, wish["ttl_seconds"])
        return grant.model_dump(mode="json")

    async def _deny_scope(self, request_id: str, reason: str) -> bool:
        return False

    async def _resolve_scope_grant(self, request_id: str, grant_token: str) -> bool:
        verify_grant(grant_token, _TEST_KEY, audience=self._agent.card["name"])
        return False

    async def _find_agents(self, tags: list[str], capability: str | None, skill: str | None, limit: int) -> list[Any]:
        def fits(card: Mapping[str, Any]) -> bool:
            skills = card["skills"]
            worn = {tag for one in skills for tag in one["tags"]}
            named = skill is None or any(one["id"] == skill for one in skills)
            return named and set(tags) <= worn and (capability is None or capability in card["capabilities"])

        found = [other.card for other in self._agent.others.values() if fits(other.card)]
        return [{"name": card["name"], "url": card["name"], "card": card} for card in found[:limit]]

    async def _get_agent(self, name: str) -> dict[str, Any]:
        for found in await self._find_agents([], None, None, len(self._agent.others)):
            if found["name"] == name:
                return cast(dict[str, Any], found)
        raise SkillNotFound(f'there is no agent "{name}" here')

    async def _workspace_search(self, query: str, types: list[str], limit: int) -> list[dict[str, Any]]:
        words = query.lower().split()
        hits = [path for path in sorted(self._agent.files) if all(word in self._searched(path) for word in words)]
        return [self._match(path) for path in hits[:limit]]

    async def _workspace_open_view(self, max_files: int, mode: str, **wish: Any) -> dict[str, Any]:
        policy = self._agent.card["workspace_access"]
        require_workspace(policy)
        shown = [path for path in sorted(self._agent.files) if not matches_any(policy["deny_patterns"], path)]
        picked = shown[: min(max_files, policy["max_files"])]
        require_allowed(policy, picked, None, mode, wish["reason"], self._sizes(), named=True)
        return self._view(self._granted({**wish, "mode": mode}, tuple(picked), mode, None, 300), picked)

    async def _workspace_request_access(self, files: list[str], mode: str, **wish: Any) -> dict[str, Any]:
        policy = self._agent.card["workspace_access"]
        require_workspace(policy)
        require_allowed(policy, files, None, mode, wish["reason"], self._sizes(), named=True)
        return self._view(self._granted({**wish, "mode": mode, "files": files}, tuple(files), mode, None, 300), files)

    async def _workspace_view(self) -> dict[str, Any]:
        if self.grant is None:
            raise WorkspaceDenied("no grant is held: ask with open_view() or request_access()")
        return self._view(self.grant, [])

    async def _workspace_list_grants(self) -> list[dict[str, Any]]:
        return [self.grant.model_dump(mode="json")] if self.grant is not None else []

    async def _workspace_delegate(
        self,
        audience: str,
        allow_patterns: list[str],
        deny_patterns: list[str],
        mode: Any,
        outputs_prefix: str | None,
        ttl_seconds: int,
    ) -> str:
        if self.grant is None or (mode != "read_only" and self.grant.mode == "read_only"):
            raise WorkspaceDenied("what is delegated must be contained in what is held")
        name = self._agent.card["name"]
        return mint_grant(
            name,
            audience,
            self.grant.bucket,
            mode,
            allow_patterns,
            deny_patterns,
            outputs_prefix,
            ttl_seconds,
            secret=_TEST_KEY,
        )[1]

    async def _workspace_install_grant(self, grant: Any) -> None:
        if not isinstance(grant, str):
            raise GrantInvalid()
        self.grant = verify_grant(grant, _TEST_KEY, audience=self._agent.card["name"])

    async def _view_read(self, view: int, path: str) -> dict[str, Any]:
        self._allowed(view, path)
        staged = [patch for patch in self.patches if patch["path"] == path]
        data = staged[-1].get("content") if staged else self._agent.files.get(path)
        if data is None:
            raise FileNotFound(f'there is no file "{path}" in the workspace as the grant shows it')
        return {"data": base64.b64encode(data).decode("ascii")}

    async def _view_write(self, view: int, path: str, data: str) -> dict[str, Any]:
        return self._stage(view, path, "write", base64.b64decode(data))

    async def _view_delete(self, view: int, path: str) -> dict[str, Any]:
        return self._stage(view, path, "delete", None)

    async def _view_patches(self, view: int) -> list[dict[str, Any]]:
        return [_without_content(patch) for patch in self.patches]

    def _stage(self, view: int, path: str, operation: str, content: bytes | None) -> dict[str, Any]:
        grant = self._allowed(view, path)
        if grant.mode != "read_write_overlay":
            raise WorkspaceDenied("the grant is read_only: ask for read_write_overlay")
        if grant.outputs_prefix is not None and not is_under(grant.outputs_prefix, path):
            raise WorkspaceDenied(f"the grant lets write below {grant.outputs_prefix} only")
        size = len(content) if content is not None else 0
        patch = {
            "patch_id": f"pat_{uuid.uuid4()}",
            "path": path,
            "operation": operation,
            "size_bytes": size,
            "content": content,
            "state": "staged",
        }
        self.patches.append(patch)
        return _without_content(patch)

    def _allowed(self, view: int, path: str) -> Grant:
        grant = self._views[view]
        if not matches_any(grant.allow_patterns, path) or matches_any(grant.deny_patterns, path):
            raise WorkspaceDenied(f'the grant does not show "{path}"')
        return grant

    def _granted(self, wish: Mapping[str, Any], patterns: Iterable[str], mode: Any, prefix: str | None, ttl: int) -> Grant:
        if not self._agent.approve(wish):
            raise ScopeDenied("denied by the test")
        name = self._agent.card["name"]
        policy = self._agent.card["workspace_access"]
        deny = policy["deny_patterns"] if policy["enabled"] else ()
        self.grant, _ = mint_grant("usr:test", name, _BUCKET, mode, tuple(patterns), deny, prefix, ttl, secret=_TEST_KEY)
        return self.grant

    def _sizes(self) -> dict[str, int]:
        return {path: len(data) for path, data in self._agent.files.items()}

    def _view(self, grant: Grant, files: Iterable[str]) -> dict[str, Any]:
        self._views.append(grant)
        matches = [self._match(path) for path in files if path in self._agent.files]
        return {"view": len(self._views) - 1, "grant": grant.model_dump(mode="json"), "files": matches}

    def _match(self, path: str) -> dict[str, Any]:
        return {"path": path, "file_type": "other", "score": 1.0, "size_bytes": len(self._agent.files[path])}

    def _searched(self, path: str) -> str:
        return f"{path}\n{self._agent.files[path].decode(errors='replace')}".lower()


def _without_content(patch: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in patch.items() if key != "content"}


def _now() -> str:
    return datetime.now(UTC).isoformat()

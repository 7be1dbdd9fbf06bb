"""An agent that does one of everything; the runtime's tests drive it over the worker protocol."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from svc import (
    Agent,
    AgentEvent,
    AuthError,
    AuthRequest,
    AuthResolver,
    LifecycleContext,
    Resources,
    RunContext,
    SandboxSpec,
    SkillInputError,
    SvcError,
    WorkspaceAccess,
    skill,
)


class Config(BaseModel):
    greeting: str = "Hello"


class Caller(BaseModel):
    user: str = "nobody"
    scopes: list[str] = Field(default_factory=list)


class Tokens(AuthResolver):
    async def resolve(self, request: AuthRequest) -> Mapping[str, Any]:
        if request.bearer is None:
            return {}
        if not request.bearer.startswith("tok-"):
            raise AuthError("no such token", status=403)
        return {"user": request.bearer.removeprefix("tok-"), "scopes": ["items:read"]}


class Point(BaseModel):
    x: int
    y: int = 0


class Parts(Agent[Config]):
    name = "parts"
    description = "Does one of everything."
    version = "1.0.0"
    config_model = Config
    auth_model = Caller
    auth_resolver = Tokens()
    required_secrets = ("TOKEN",)
    concurrency = 200
    resources = Resources(max_runtime_seconds=60)
    workspace_access = WorkspaceAccess.dynamic(allowed_modes=("read_only", "read_write_overlay"))

    started = 0
    cleaned = 0

    async def startup(self, ctx: LifecycleContext) -> None:
        self.started += 1
        if self.config.greeting == "no model":
            raise FileNotFoundError("models/main.bin does not exist: add it to the project")
        ctx.log.info("starting", has_secret=ctx.secret("TOKEN") != "")

    async def shutdown(self, ctx: LifecycleContext) -> None:
        ctx.log.info("stopping")

    @skill(description="Adds.")
    async def sum(self, ctx: RunContext[Caller], a: int, b: int = 1) -> int:
        return a + b

    @skill()
    async def about(self, ctx: RunContext[Caller], point: Point, weight: float | None = None) -> dict[str, Any]:
        return {
            "greeting": self.config.greeting,
            "user": ctx.auth.user,
            "secret": ctx.secret("TOKEN"),
            "sum": point.x + point.y,
            "started": self.started,
            "cleaned": self.cleaned,
            "pid": os.getpid(),
            "environment": "TOKEN" in os.environ,
            "weight": weight,
        }

    @skill(stream=True)
    async def count(self, ctx: RunContext[Caller], to: int, size: int = 1, pause: float = 0) -> int:
        for number in range(to):
            await ctx.emit_text_delta(f"{number}:".ljust(size, "."))
            if pause:
                await asyncio.sleep(pause)
        return to

    @skill(stream=True)
    async def reports(self, ctx: RunContext[Caller]) -> str:
        await ctx.emit_progress("half way", 1, 2)
        await ctx.emit_error("a hitch", code="hitch")
        await ctx.emit_event(AgentEvent(kind="mine.own", payload={"n": 1}))
        await ctx.emit_artifact(ctx_ref())
        return "done"

    @skill()
    async def fails(self, ctx: RunContext[Caller], how: str) -> str:
        if how == "input":
            raise SkillInputError("b is not a colour", [{"path": ["b"], "code": "custom", "message": "not a colour"}])
        if how == "exit":
            raise SystemExit(3)
        if how == "die":
            os._exit(7)
        if how == "fake":
            await ctx.emit_event(AgentEvent(kind="result", payload={}))
        if how == "output":
            return int("5")  # type: ignore[return-value]
        raise RuntimeError("the password is hunter2")

    @skill(scopes=("items:write",))
    async def guarded(self, ctx: RunContext[Caller]) -> str:
        return "in"

    @skill()
    async def waits(self, ctx: RunContext[Caller], seconds: float) -> str:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            self.cleaned += 1
            raise
        return "slept"

    @skill(timeout_seconds=1)
    async def spins(self, ctx: RunContext[Caller], seconds: float) -> str:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                ctx.check_cancelled()
            except SvcError as error:
                self.cleaned += 1
                ctx.log.info("stopped", code=error.code)
                raise
        return "spun"

    @skill()
    async def blocks(self, ctx: RunContext[Caller], seconds: float) -> str:
        time.sleep(seconds)  # noqa: ASYNC251 (what a careless author does)
        return "blocked"

    @skill(stream=True)
    async def asks(self, ctx: RunContext[Caller], prompt: str, timeout: float = 180.0) -> str:  # noqa: ASYNC109
        await ctx.emit_progress("before")
        return f"you said {await ctx.ask(prompt, timeout)}"

    @skill(stream=True)
    async def hurried(self, ctx: RunContext[Caller]) -> bool:
        before = ctx.deadline or 0.0
        await ctx.ask("Are you there?")
        return (ctx.deadline or 0.0) > before

    @skill(stream=True)
    async def orders(self, ctx: RunContext[Caller], timeout: float = 180.0) -> Point:  # noqa: ASYNC109
        return Point.model_validate_json(await ctx.ask("Where to?", timeout, schema=Point.model_json_schema()))

    @skill()
    async def stores(self, ctx: RunContext[Caller], size: int) -> dict[str, Any]:
        ref = await ctx.write_artifact("big.bin", b"\x01" * size, "application/octet-stream")
        return ref.model_dump()

    @skill()
    async def sandboxed(self, ctx: RunContext[Caller]) -> str:
        try:
            await ctx.sandbox.create(SandboxSpec(name="box"))
        except SvcError as error:
            return error.code
        return "made"

    @skill()
    async def widens(self, ctx: RunContext[Caller]) -> str:
        try:
            await ctx.request_scope("because")
        except SvcError as error:
            return error.code
        return "granted"

    @skill()
    async def relays(self, ctx: RunContext[Caller], target: str, skill: str, args: dict[str, Any]) -> Any:
        return (await ctx.call(target, skill, args)).result

    @skill()
    async def edits(self, ctx: RunContext[Caller], path: str, text: str) -> dict[str, Any]:
        view = await ctx.workspace.request_access([path], "read_write_overlay", "to edit it")
        before = (await view.read(path)).decode()
        patch = await view.write(path, text)
        return {"before": before, "patch": patch.operation, "after": (await view.read(path)).decode(), "staged": len(await view.patches())}


def ctx_ref() -> Any:
    from svc import ArtifactRef

    return ArtifactRef(name="a.txt", uri="https://example.com/a.txt", mime_type="text/plain", size_bytes=3)

"""Answers a question about a table: others draw it and find what is said about it, untrusted code computes on it in a sandbox."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from pydantic import BaseModel, Field
from svc import (
    Agent,
    ArtifactRef,
    CallFailed,
    CallResult,
    DiscoveredAgent,
    Resources,
    RunContext,
    SandboxSpec,
    SkillInputError,
    SkillInvocationError,
    WorkspaceAccess,
    skill,
)

from brief import brief_of


class Finding(BaseModel):
    rows: int
    passages: list[dict[str, Any]]
    computed: str
    """What the code printed."""
    exit_code: int
    helped_by: list[str]
    artifacts: list[ArtifactRef]


class Analyst(Agent):
    name = "analyst"
    description = "Answers a question about a table with the help of other agents, and of code that runs in a sandbox."
    version = "0.1.0"
    input_modes = ("application/json",)
    output_modes = ("application/json", "text/event-stream", "text/markdown")
    workspace_access = WorkspaceAccess.dynamic(max_files=25)
    resources = Resources(cpu="500m", memory="256Mi", max_runtime_seconds=300)
    concurrency = 2

    @skill(
        description="Has the table drawn and the notes searched by agents that hold nothing but that, and runs the given Python on it.",
        tags=("data", "research"),
        stream=True,
        allow_scope_expansion=True,
    )
    async def investigate(
        self,
        ctx: RunContext,
        question: Annotated[str, Field(min_length=1, max_length=500, description="What you want to know.")],
        data: Annotated[str, Field(min_length=1, max_length=1024, description="A table in your workspace.")],
        notes: Annotated[str, Field(max_length=256, description="Folder with what is said about it.")] = "notes",
        code: Annotated[str, Field(max_length=100_000, description="Python; the table's path is in sys.argv[1].")] = "",
    ) -> Finding:
        chart_room, librarian = await self._helpers(ctx)
        await ctx.emit_progress(f"found {chart_room.name} and {librarian.name}", 1, 4)
        await ctx.request_scope(f"to answer: {question}", read=[data, f"{notes}/**"], ttl_seconds=300)

        # Each gets only a part of what this run was given.
        drawing = await ctx.workspace.delegate(chart_room.name, allow_patterns=[data])
        reading = await ctx.workspace.delegate(librarian.name, allow_patterns=[f"{notes}/**"])
        chart, found, (computed, exit_code) = await asyncio.gather(
            self._called(ctx, chart_room, "draw", {"file": data, "title": question[:120]}, drawing),
            self._called(ctx, librarian, "find", {"question": question}, reading),
            self._computed(ctx, data, code),
        )
        await ctx.emit_progress("drawn, searched and computed", 3, 4)

        passages = found.result["passages"]
        brief = await ctx.write_artifact("brief.md", brief_of(question, data, chart.result, passages, computed), "text/markdown")
        await ctx.emit_artifact(brief)
        await ctx.emit_progress("done", 4, 4)
        return Finding(
            rows=chart.result["rows"],
            passages=passages,
            computed=computed,
            exit_code=exit_code,
            helped_by=[chart_room.name, librarian.name],
            artifacts=[brief, *chart.artifacts],
        )

    async def _helpers(self, ctx: RunContext) -> tuple[DiscoveredAgent, DiscoveredAgent]:
        """Finds helpers by what they can do, not by name."""
        charts, readers = await asyncio.gather(
            ctx.find_agents(tags=["data", "chart"], skill="draw", limit=1),
            ctx.find_agents(tags=["workspace", "search"], skill="find", limit=1),
        )
        if not charts or not readers:
            missing = "draws tables (examples/chart-room)" if not charts else "searches workspaces (examples/librarian)"
            raise SkillInvocationError(f"no agent here {missing}: deploy one that this run may call")
        return charts[0], readers[0]

    async def _called(self, ctx: RunContext, agent: DiscoveredAgent, name: str, args: dict[str, Any], grant: str) -> CallResult:
        try:
            done = await ctx.call(agent.url or agent.name, name, args, grant=grant)
        except CallFailed as error:
            raise SkillInvocationError(f"{agent.name} could not help: {error}") from error
        await ctx.emit_progress(f"{agent.name} is done")
        return done

    async def _computed(self, ctx: RunContext, data: str, code: str) -> tuple[str, int]:
        """The code is untrusted: it gets a separate machine with the table, and no network."""
        if code == "":
            return "", 0
        if data.startswith("-"):
            raise SkillInputError("the table's path must not begin with '-'")
        # The sandbox's own grant: it sees the table, not the notes.
        mounted = await ctx.workspace.delegate(self.name, allow_patterns=[data], ttl_seconds=120)
        box = await ctx.sandbox.create(SandboxSpec(name=f"box-{ctx.run_id[-12:]}", memory_mib=256, workspace=mounted))
        try:
            done = await box.exec("python3", ["-c", code, f"/workspace/{data}"], timeout=60)
        finally:
            await ctx.sandbox.remove(box.name)
        if done.exit_code != 0:
            await ctx.emit_error(f"the code ended with {done.exit_code}: {done.stderr[-500:]}", code="code_failed")
        return done.stdout[:10_000], done.exit_code

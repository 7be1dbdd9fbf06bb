"""ctx.meta_runs and ctx.track_call in tests: kept between calls of one agent, versions, pages."""

from __future__ import annotations

import asyncio

import pytest

from svc import Agent, RunContext, SkillInvocationError, skill
from svc.testing import TestAgent


class Coordinates(Agent):
    name = "coordinates"
    description = "For tests."
    version = "1.0.0"

    @skill()
    async def begin(self, ctx: RunContext, goal: str) -> str:
        return (await ctx.meta_runs.create(goal, criteria=["it runs"], plan={"steps": ["a"]})).id

    @skill()
    async def go_on(self, ctx: RunContext, id: str) -> list[str]:
        before = await ctx.meta_runs.get(id)
        assert before is not None
        assert (before.version, before.plan) == (1, {"steps": ["a"]})
        after = await ctx.meta_runs.update(id, 1, status="running", progress={"done": ["a"]})
        assert after is not None
        assert (after.version, after.goal) == (2, before.goal)
        assert await ctx.meta_runs.update(id, 1, status="failed") is None
        assert await ctx.meta_runs.get("mrn_none") is None
        ended = await ctx.meta_runs.update(id, 2, status="succeeded")
        assert ended is not None
        assert ended.ended_at is not None
        page = await ctx.meta_runs.list(limit=1)
        rest = await ctx.meta_runs.list(limit=1, cursor=page.next_cursor)
        still = await ctx.meta_runs.list(state="open")
        return [page.items[0].goal, rest.items[0].goal, *(one.goal for one in still.items)]

    @skill()
    async def late(self, ctx: RunContext, id: str) -> None:
        await ctx.meta_runs.update(id, 3, goal="more")

    @skill()
    async def tells(self, ctx: RunContext) -> None:
        await ctx.track_call("a.b", "look", "running", started_at="2026-01-02T03:04:05.006Z", args={"n": 1})


def test_goals_are_kept_from_run_to_run_and_calls_are_reported() -> None:
    async def main() -> None:
        agent = TestAgent(Coordinates)
        first = (await agent.invoke("begin", goal="one")).result
        await agent.invoke("begin", goal="two")
        assert (await agent.invoke("go_on", id=first)).result == ["two", "one", "two"]
        with pytest.raises(SkillInvocationError, match="has ended"):
            await agent.invoke("late", id=first)
        await agent.invoke("tells")
        assert [(call["skill"], call["args"]) for call in agent.tracked] == [("look", {"n": 1})]

    asyncio.run(main())

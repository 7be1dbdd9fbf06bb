"""ctx.memory in tests: kept between calls of one agent, versions, pages, search."""

from __future__ import annotations

import asyncio

from svc import Agent, RunContext, skill
from svc.testing import TestAgent


class Remembers(Agent):
    name = "remembers"
    description = "For tests."
    version = "1.0.0"

    @skill()
    async def keep(self, ctx: RunContext, key: str, text: str) -> int:
        entry = await ctx.memory.put(key, {"text": text}, metadata={"by": "test"})
        return entry.version if entry else 0

    @skill()
    async def look(self, ctx: RunContext) -> list[str]:
        assert await ctx.memory.put("a/1", 1, if_version=9) is None
        assert await ctx.memory.get("nothing") is None
        page = await ctx.memory.list(prefix="a/", limit=1)
        rest = await ctx.memory.list(prefix="a/", limit=1, cursor=page.next_cursor)
        found = await ctx.memory.search("lisbon")
        gone = await ctx.memory.delete("a/2")
        again = await ctx.memory.delete("a/2")
        return [page.items[0].key, rest.items[0].key, found[0].key, str(gone), str(again)]


def test_what_one_call_keeps_another_finds() -> None:
    agent = TestAgent(Remembers)

    async def talk() -> list[str]:
        await agent.invoke("keep", key="a/1", text="Lisbon")
        assert (await agent.invoke("keep", key="a/1", text="Lisbon")).result == 2
        await agent.invoke("keep", key="a/2", text="Porto")
        return (await agent.invoke("look")).result  # type: ignore[no-any-return]

    assert asyncio.run(talk()) == ["a/1", "a/2", "a/1", "True", "False"]
    assert agent.memory["default", "a/1"]["value"] == {"text": "Lisbon"}

"""The agent of the golden conversation (sdk/golden/worker.json)."""

from __future__ import annotations

import asyncio
import json

from svc import Agent, RunContext, skill

PERCH = {"type": "object", "properties": {"branch": {"type": "string", "enum": ["oak", "elm"]}}, "required": ["branch"]}


class Parrot(Agent):
    name = "parrot"
    description = "Repeats."
    version = "0.1.0"
    concurrency = 4

    @skill(stream=True)
    async def repeat(self, ctx: RunContext, text: str) -> dict[str, str]:
        ctx.log.info("repeating", characters=len(text))
        await ctx.emit_progress(text)
        await ctx.emit_text_delta(f"{ctx.secret('WORD')}: {text}")
        answer = await ctx.ask("Again?")
        ref = await ctx.write_artifact("a.txt", text, "text/plain")
        return {"answer": answer, "uri": ref.uri}

    @skill()
    async def perch(self, ctx: RunContext) -> dict[str, str]:
        chosen = json.loads(await ctx.ask("Where?", 60, schema=PERCH))
        done = await ctx.sandbox.run_python("print(1)", timeout=5)
        return {"branch": chosen["branch"], "printed": done.stdout}

    @skill()
    async def stop(self, ctx: RunContext) -> None:
        await asyncio.sleep(60)

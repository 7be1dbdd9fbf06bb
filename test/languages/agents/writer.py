"""Asks models with ctx.llm; writer.ts is the same in TypeScript."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from svc import Agent, ModelFailed, RunContext, skill


class Order(BaseModel):
    item: str
    cups: int


class Writer(Agent):
    name = "writer"
    description = "Writes with a model."
    version = "1.0.0"

    @skill()
    async def ask(self, ctx: RunContext, model: str | None = None, max_tokens: int | None = None) -> Any:
        return (await ctx.llm.generate("Where am I?", model=model, max_tokens=max_tokens)).model_dump()

    @skill(stream=True)
    async def tell(self, ctx: RunContext, model: str) -> Any:
        stream = ctx.llm.stream("Where am I?", model=model)
        async for delta in stream:
            await ctx.emit_text_delta(delta)
        return (await stream.result()).model_dump()

    @skill()
    async def glance(self, ctx: RunContext, model: str) -> str:
        async for delta in ctx.llm.stream("Where am I?", model=model):
            return delta
        return ""

    @skill()
    async def order(self, ctx: RunContext) -> Any:
        return (await ctx.llm.object(Order, "Two teas.", model="m-1")).model_dump()

    @skill()
    async def refused(self, ctx: RunContext, model: str) -> Any:
        try:
            return (await ctx.llm.generate("Where am I?", model=model)).text
        except ModelFailed as error:
            return [error.model_code, error.model_status, str(error)]

"""Asks models with the clients of OpenAI and Anthropic as they are: through the platform, or at an address that the test gives."""

from __future__ import annotations

import asyncio
from typing import Any

from anthropic import Anthropic, AsyncAnthropic
from openai import AsyncOpenAI, OpenAI
from svc import Agent, RunContext, skill

QUESTION: list[Any] = [{"role": "user", "content": "Where am I?"}]
TOOLS: list[Any] = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}]


def at(base: str | None) -> dict[str, Any]:
    """Without an address they take it and the key from the environment."""
    return {"max_retries": 0, **({} if base is None else {"base_url": base, "api_key": "x"})}


class Asker(Agent):
    name = "asker"
    description = "Asks models."
    version = "1.0.0"

    @skill()
    async def openai(self, ctx: RunContext, base: str | None = None) -> list[Any]:
        client = AsyncOpenAI(**at(base))
        said: list[Any] = []
        for more in ({}, {"tools": TOOLS}):
            async for chunk in await client.chat.completions.create(model="m-1", messages=QUESTION, stream=True, **more):
                said.append(chunk.model_dump())
        async for event in await client.responses.create(model="m-1", input="Where am I?", stream=True):
            said.append(event.model_dump())
        embedded = await client.embeddings.create(model="m-1", input=["a", "b"])
        models = await client.models.list()
        return [*said, embedded.model_dump(), [model.id for model in models.data]]

    @skill()
    async def anthropic(self, ctx: RunContext, base: str | None = None) -> list[Any]:
        client = AsyncAnthropic(**at(base))
        said: list[Any] = []
        async with client.messages.stream(model="m-1", max_tokens=100, messages=QUESTION) as stream:
            async for event in stream:
                said.append(event.model_dump())
        counted = await client.messages.count_tokens(model="m-1", messages=QUESTION)
        return [*said, counted.model_dump()]

    @skill()
    async def threaded(self, ctx: RunContext, base: str | None = None) -> list[Any]:
        """The clients that block, in threads of their own."""

        def both() -> list[Any]:
            chunks = OpenAI(**at(base)).chat.completions.create(model="m-1", messages=QUESTION, stream=True)
            said = [chunk.model_dump() for chunk in chunks]
            # The address of Anthropic's wire has no version.
            other = None if base is None else base.removesuffix("/v1")
            return [*said, Anthropic(**at(other)).messages.create(model="m-1", max_tokens=100, messages=QUESTION).model_dump()]

        return await asyncio.to_thread(both)

"""The agent in Python of the main job: it answers, asks in the middle of a function, and asks a model."""

from pydantic import BaseModel
from svc import Agent, RunContext, skill


class Greeting(BaseModel):
    text: str


class Served(BaseModel):
    text: str
    steps: list[int]


class Porter(Agent):
    name = "porter"
    description = "Greets guests, and asks what to carry."
    version = "1.0.0"
    concurrency = 4

    @skill(description="Greets a guest.")
    async def greet(self, ctx: RunContext, name: str) -> Greeting:
        return Greeting(text=f"Good day, {name}!")

    @skill(description="Asks what to carry for a guest.")
    async def serve(self, ctx: RunContext, name: str) -> Served:
        steps = [1]
        wish = await ctx.ask(f"What does {name} bring?", 3600)
        steps.append(2)
        return Served(text=f"{wish} of {name}", steps=steps)

    @skill(description="Asks a model.")
    async def think(self, ctx: RunContext, about: str) -> Greeting:
        return Greeting(text=(await ctx.llm.generate(about)).text)

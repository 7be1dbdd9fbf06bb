"""What an adapter adds to the framework: the same call bare and as a skill, in turn. `node bench/adapters-python.ts` runs it for each."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from svc.testing import TestAgent

Call = Callable[[], Awaitable[Any]]
ROUNDS = 5


def langgraph() -> tuple[Call, Call]:
    from langgraph.graph import START, StateGraph
    from svc.adapters.langgraph import from_langgraph
    from typing_extensions import TypedDict

    class State(TypedDict):
        topic: str
        joke: str

    async def think(state: State) -> dict[str, str]:
        return {"joke": f"{state['topic']}!"}

    builder = StateGraph(State)
    for at in range(3):
        builder.add_node(f"n{at}", think)
        builder.add_edge(START if at == 0 else f"n{at - 1}", f"n{at}")
    graph = builder.compile()
    agent = TestAgent(from_langgraph(graph, name="bench", description="Jokes."))
    return lambda: graph.ainvoke({"topic": "cats"}), lambda: agent.invoke("run", topic="cats")


def openai_agents() -> tuple[Call, Call]:
    from agents import Agent, RunConfig, Runner
    from svc.adapters.openai_agents import from_openai_agents

    clerk = Agent(name="clerk", instructions="Help.", model="m-1")
    agent = TestAgent(from_openai_agents(clerk, name="bench", description="Helps."))

    async def bare() -> None:
        async for _ in Runner.run_streamed(clerk, "Where?", run_config=RunConfig(tracing_disabled=True)).stream_events():
            pass

    return bare, lambda: agent.invoke("run", message="Where?")


def pydantic_ai() -> tuple[Call, Call]:
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel
    from svc.adapters.pydantic_ai import from_pydantic_ai

    clerk = Agent(TestModel(custom_output_text="one two three four"))
    agent = TestAgent(from_pydantic_ai(clerk, name="bench", description="Helps."))

    async def read(_: Any, events: Any) -> None:
        async for _event in events:
            pass

    return lambda: clerk.run("Where?", event_stream_handler=read), lambda: agent.invoke("run", message="Where?")


def google_adk() -> tuple[Call, Call]:
    from google.adk.agents import LlmAgent
    from google.adk.agents.run_config import RunConfig, StreamingMode
    from google.adk.models.lite_llm import LiteLlm
    from google.adk.runners import InMemoryRunner
    from google.genai import types
    from svc.adapters.google_adk import from_google_adk

    clerk = LlmAgent(name="clerk", instruction="Help.", model=LiteLlm(model="openai/m-1"))
    runner = InMemoryRunner(agent=clerk, app_name="bench")
    agent = TestAgent(from_google_adk(clerk, name="bench", description="Helps."))

    async def bare() -> None:
        session = await runner.session_service.create_session(app_name="bench", user_id="caller")
        message = types.Content(role="user", parts=[types.Part(text="Where?")])
        config = RunConfig(streaming_mode=StreamingMode.SSE)
        async for _ in runner.run_async(user_id="caller", session_id=session.id, new_message=message, run_config=config):
            pass

    return bare, lambda: agent.invoke("run", message="Where?")


def crewai() -> tuple[Call, Call]:
    from crewai import LLM, Crew, Task
    from crewai import Agent as Member
    from svc.adapters.crewai import from_crewai

    def crew() -> Crew:
        clerk = Member(role="clerk", goal="Help", backstory="You help.", llm=LLM(model="m-1", provider="openai", stream=True))
        return Crew(agents=[clerk], tasks=[Task(description="Answer: {message}", expected_output="One sentence.", agent=clerk)])

    # A kickoff fills in the crew's own texts: the agent has one that has not run.
    own, agent = crew(), TestAgent(from_crewai(crew(), name="bench", description="Helps."))
    return lambda: own.kickoff_async(inputs={"message": "Where?"}), lambda: agent.invoke("run", message="Where?")


def fastapi() -> tuple[Call, Call]:
    from fastapi import FastAPI
    from svc.adapters.asgi import from_asgi

    app = FastAPI()

    @app.get("/greetings/{name}")
    async def greet(name: str) -> dict[str, str]:
        return {"greeting": f"Hello, {name}!"}

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "path": "/greetings/Ada",
        "query_string": b"",
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_: Any) -> None:
        return None

    agent = TestAgent(from_asgi(app, name="bench", description="Greets."))
    return lambda: app({**scope, "headers": []}, receive, send), lambda: agent.invoke("greet", name="Ada")


async def measured(bare: Call, ours: Call, calls: int) -> list[float]:
    """Milliseconds that ours takes longer, one for each round: differences of medians."""
    for _ in range(20):
        await bare()
        await ours()
    added = []
    for _ in range(ROUNDS):
        took: dict[Call, list[float]] = {bare: [], ours: []}
        for _ in range(calls):
            for call in (bare, ours):
                began = time.perf_counter()
                await call()
                took[call].append((time.perf_counter() - began) * 1000)
        added.append(statistics.median(took[ours]) - statistics.median(took[bare]))
    return added


name, calls = sys.argv[1], int(sys.argv[2])
print(json.dumps(asyncio.run(measured(*globals()[name](), calls))))

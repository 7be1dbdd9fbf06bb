import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool
from google.genai import types
from pydantic import BaseModel

from svc import Agent, SkillOutputError
from svc.adapters.google_adk import ask, from_google_adk
from svc.testing import TestAgent

from .support import LOOP, WORDS, Held, call, tools_in


def adk_agent(**more: Any) -> LlmAgent:
    return LlmAgent(**{"name": "clerk", "instruction": "Help.", "model": LiteLlm(model=f"openai/{os.environ['MODEL']}"), **more})


def adapted(agent: Any, **more: Any) -> type[Agent]:
    return from_google_adk(agent, name="the-shop", description="Sells.", **more)


def test_text_comes_word_by_word() -> None:
    done = call(adapted(adk_agent()))
    assert done.result == WORDS
    assert [event.payload["text"] for event in done.events] == ["Hel", "lo, ", "wörld ", "🙂"]


@pytest.mark.parametrize("model", ["'openai/gpt-5-mini'", "LiteLlm(model='openai/gpt-5-mini')"])
def test_what_the_model_needs_is_loaded_before_the_first_call(model: str) -> None:
    lines = [
        "import sys",
        "from google.adk.agents import LlmAgent",
        "from google.adk.models.lite_llm import LiteLlm" if "LiteLlm" in model else "",
        "from svc.adapters.google_adk import from_google_adk",
        f"clerk = LlmAgent(name='clerk', model={model})",
        "desk = LlmAgent(name='desk', model='nobody/knows', sub_agents=[clerk])",
        "agent = from_google_adk(desk, name='the-shop', description='Sells.')()",
        "assert 'litellm.main' in sys.modules",
    ]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)


def test_a_runner_of_ones_own_keeps_no_session() -> None:
    runner = InMemoryRunner(agent=adk_agent(), app_name="shop")
    assert call(adapted(runner)).result == WORDS
    found = LOOP.run(runner.session_service.list_sessions(app_name="shop", user_id="caller"))
    assert found.sessions == []


def test_schemas_are_those_of_the_agent() -> None:
    class Order(BaseModel):
        id: int

    class Place(BaseModel):
        country: str

    agent = adapted(adk_agent(input_schema=Order, output_schema=Place))
    [skill] = TestAgent(agent).card["skills"]
    assert skill["input_schema"]["required"] == ["id"]
    assert skill["output_schema"]["properties"] == {"country": {"type": "string"}}
    # What the scripted model says is no Place.
    with pytest.raises((SkillOutputError, ValueError)):
        call(agent, id=7)


def test_a_confirmation_is_a_form_and_the_tool_runs_once() -> None:
    ran: list[str] = []

    def look_up(city: str) -> str:
        """Finds a city."""
        ran.append(city)
        return "In Poland."

    agent = adapted(adk_agent(tools=[FunctionTool(look_up, require_confirmation=True)]))
    done = call(agent, {"approved": True})
    assert (done.result, ran) == (WORDS, ["Łódź"])
    asked = next(event.payload for event in done.events if event.kind == "question")
    assert asked["prompt"] == 'May the agent call look_up with {"city": "Łódź"}?'
    assert [tool["phase"] for tool in tools_in(done)] == ["started", "finished"]

    refused = call(agent, {"approved": False})
    assert (refused.result, ran) == (WORDS, ["Łódź"])


def test_a_tool_may_ask_where_it_stands() -> None:
    ran: list[str] = []

    async def look_up(city: str) -> str:
        """Finds a city."""
        ran.append("before")
        return await ask(f"Where is {city}?")

    done = call(adapted(adk_agent(tools=[look_up])), "In Poland.")
    assert ran == ["before"]
    assert tools_in(done)[-1]["summary"] == '{"result": "In Poland."}'


class Transfers(BaseLlm):
    """Hands over to the agent that it is offered."""

    async def generate_content_async(self, request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        call = types.FunctionCall(id="call_1", name="transfer_to_agent", args={"agent_name": "refunds"})
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(function_call=call)]))


def test_transfers_are_reported() -> None:
    refunds = adk_agent(name="refunds", description="Refunds.", disallow_transfer_to_parent=True)
    done = call(adapted(adk_agent(model=Transfers(model="transfers"), sub_agents=[refunds])))
    assert [event.payload for event in done.events if event.kind == "handoff"] == [{"from": "clerk", "to": "refunds"}]
    assert done.result == WORDS


def test_cancelling_the_run_cancels_the_tool() -> None:
    held = Held()

    async def look_up(city: str) -> str:
        """Finds a city."""
        await held.wait()
        return city

    held.cancel(adapted(adk_agent(tools=[look_up])), message="Where?")

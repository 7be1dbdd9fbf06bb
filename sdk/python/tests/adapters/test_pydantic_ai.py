import json
from collections.abc import AsyncIterable
from typing import Any

from pydantic import BaseModel
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import DeferredToolRequests, ToolOutput
from pydantic_ai import RunContext as ToolContext
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel

from svc import Agent
from svc.adapters.pydantic_ai import ask, ask_sync, from_pydantic_ai
from svc.testing import TestAgent

from .support import WORDS, Held, call, tools_in


class Place(BaseModel):
    country: str


def pydantic_agent(**more: Any) -> PydanticAgent[Any, Any]:
    return PydanticAgent(OpenAIChatModel("m-1"), **more)


def adapted(agent: PydanticAgent[Any, Any], **more: Any) -> type[Agent]:
    return from_pydantic_ai(agent, name="shop", description="Sells.", **more)


def test_text_comes_word_by_word() -> None:
    done = call(adapted(pydantic_agent()))
    assert done.result == WORDS
    assert [event.payload["text"] for event in done.events] == ["Hel", "lo, ", "wörld ", "🙂"]


def test_the_result_is_of_the_output_type() -> None:
    agent = adapted(PydanticAgent(TestModel(custom_output_args={"country": "Poland"}), output_type=Place))
    [skill] = TestAgent(agent).card["skills"]
    assert skill["output_schema"]["properties"] == {"country": {"type": "string"}}
    done = call(agent)
    assert (done.result, done.text) == ({"country": "Poland"}, "")


def test_a_union_of_output_types() -> None:
    agent = adapted(PydanticAgent(TestModel(), output_type=[Place, str]))
    [skill] = TestAgent(agent).card["skills"]
    assert [one.get("type", one.get("$ref")) for one in skill["output_schema"]["anyOf"]] == ["#/$defs/Place", "string"]


def test_a_marked_output_type() -> None:
    agent = PydanticAgent(TestModel(custom_output_args={"country": "Poland"}), output_type=ToolOutput(Place, name="place"))
    [skill] = TestAgent(adapted(agent)).card["skills"]
    assert skill["output_schema"]["properties"]["country"]["type"] == "string"
    assert call(adapted(agent)).result == {"country": "Poland"}


def test_other_arguments_reach_the_agent_as_json() -> None:
    class Order(BaseModel):
        id: int
        gift: bool = False

    agent = PydanticAgent(TestModel())
    seen: list[Any] = []

    @agent.instructions
    def watch(context: ToolContext[None]) -> str:
        seen.append(context.prompt)
        return ""

    call(adapted(agent, input=Order), id=7)
    assert json.loads(seen[0]) == {"id": 7, "gift": False}


def test_an_approval_is_a_form_and_the_tool_runs_once() -> None:
    ran: list[str] = []
    agent = pydantic_agent()

    @agent.tool_plain(requires_approval=True)
    def look_up(city: str) -> str:
        ran.append(city)
        return "In Poland."

    done = call(adapted(agent), {"approved": True})
    assert (done.result, ran) == (WORDS, ["Łódź"])
    asked = next(event.payload for event in done.events if event.kind == "question")
    assert asked["prompt"] == 'May the agent call look_up with {"city":"Łódź"}?'
    assert tools_in(done)[-1] == {"call_id": "call_1", "name": "look_up", "phase": "finished", "summary": "In Poland."}

    refused = call(adapted(agent), {"approved": False, "reason": "Not today."})
    assert (refused.result, ran) == (WORDS, ["Łódź"])
    assert tools_in(refused)[-1]["summary"] == "Not today."


def test_an_agent_that_defers_by_itself() -> None:
    agent = pydantic_agent(output_type=[str, DeferredToolRequests])

    @agent.output_validator
    def same(output: Any) -> Any:
        return output

    @agent.tool_plain(requires_approval=True)
    def look_up(city: str) -> str:
        return "In Poland."

    [skill] = TestAgent(adapted(agent)).card["skills"]
    assert skill["output_schema"] == {"type": "string"}
    assert call(adapted(agent), {"approved": True}).result == WORDS


def test_a_tool_may_ask_where_it_stands() -> None:
    ran: list[str] = []

    async def look_up(city: str) -> str:
        ran.append("async")
        return await ask(f"Where is {city}?")

    def look_up_in_thread(city: str) -> str:
        ran.append("sync")
        return ask_sync(f"Where is {city}?")

    for tool in (look_up, look_up_in_thread):
        done = call(adapted(pydantic_agent(tools=[tool])), "In Poland.")
        assert tools_in(done)[-1] == {"call_id": "call_1", "name": tool.__name__, "phase": "finished", "summary": "In Poland."}
    assert ran == ["async", "sync"]


def test_cancelling_the_run_cancels_the_tool() -> None:
    held = Held()

    async def look_up(city: str) -> str:
        await held.wait()
        return city

    held.cancel(adapted(pydantic_agent(tools=[look_up])), message="Where?")


def test_dependencies_and_the_authors_own_handler() -> None:
    seen: list[str] = []

    async def watch(context: Any, events: AsyncIterable[Any]) -> None:
        async for event in events:
            seen.append(type(event).__name__)

    agent = PydanticAgent(OpenAIChatModel("m-1"), deps_type=str)

    @agent.tool
    def look_up(context: ToolContext[str], city: str) -> str:
        return context.deps

    done = call(adapted(agent, options=lambda ctx: {"deps": ctx.skill, "event_stream_handler": watch}))
    assert tools_in(done)[-1]["summary"] == "run"
    assert "PartDeltaEvent" in seen

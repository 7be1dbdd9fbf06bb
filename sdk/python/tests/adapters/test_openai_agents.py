import asyncio
import json
from typing import Any

import pytest
from agents import Agent as OpenAIAgent
from agents import GuardrailFunctionOutput, InputGuardrail, RunContextWrapper, function_tool
from pydantic import BaseModel

from svc import Agent, SkillInputError, SkillInvocationError
from svc.adapters.openai_agents import ask, ask_sync, from_openai_agents
from svc.testing import TestAgent

from .support import WORDS, Held, call, tools_in


def openai_agent(**more: Any) -> OpenAIAgent[Any]:
    return OpenAIAgent(name="clerk", instructions="Help.", model="m-1", **more)


def adapted(agent: OpenAIAgent[Any], **more: Any) -> type[Agent]:
    return from_openai_agents(agent, name="shop", description="Sells.", **more)


def test_text_comes_word_by_word() -> None:
    done = call(adapted(openai_agent()))
    assert done.result == WORDS
    assert [event.payload["text"] for event in done.events] == ["Hel", "lo, ", "wörld ", "🙂"]


def test_the_result_is_of_the_output_type() -> None:
    class Place(BaseModel):
        country: str

    [skill] = TestAgent(adapted(openai_agent(output_type=Place))).card["skills"]
    assert skill["output_schema"]["properties"] == {"country": {"type": "string"}}
    assert skill["input_schema"]["required"] == ["message"]
    other = openai_agent(output_type=Place)
    [skill] = TestAgent(adapted(openai_agent(handoffs=[other]))).card["skills"]
    assert [one.get("type", one.get("$ref")) for one in skill["output_schema"]["anyOf"]] == ["string", "#/$defs/Place"]
    # What the scripted model says is no Place.
    with pytest.raises(SkillInvocationError, match="Invalid JSON"):
        call(adapted(openai_agent(output_type=Place)))


def test_other_arguments_reach_the_agent_as_json() -> None:
    class Order(BaseModel):
        id: int
        gift: bool = False

    seen: list[str] = []

    async def watch(context: Any, agent: Any, said: Any) -> GuardrailFunctionOutput:
        seen.append(said)
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=False)

    call(adapted(openai_agent(input_guardrails=[InputGuardrail(watch)]), input=Order), id=7)
    assert json.loads(seen[0] if isinstance(seen[0], str) else seen[0][0]["content"]) == {"id": 7, "gift": False}


def test_an_approval_is_a_form_and_the_tool_runs_once() -> None:
    ran: list[str] = []

    @function_tool(needs_approval=True)
    def look_up(city: str) -> str:
        ran.append(city)
        return "In Poland."

    agent = adapted(openai_agent(tools=[look_up]))
    done = call(agent, {"approved": True})
    assert (done.result, ran) == (WORDS, ["Łódź"])
    asked = next(event.payload for event in done.events if event.kind == "question")
    assert asked["prompt"] == 'May the agent call look_up with {"city":"Łódź"}?'
    assert [tool["phase"] for tool in tools_in(done)] == ["started", "finished"]

    refused = call(agent, {"approved": False, "reason": "Not today."})
    assert (refused.result, ran) == (WORDS, ["Łódź"])


def test_a_tool_may_ask_where_it_stands() -> None:
    ran: list[str] = []

    @function_tool
    async def look_up(city: str) -> str:
        ran.append("async")
        return await ask(f"Where is {city}?")

    @function_tool
    async def look_up_in_thread(city: str) -> str:
        ran.append("sync")
        return await asyncio.to_thread(ask_sync, f"Where is {city}?")

    for tool in (look_up, look_up_in_thread):
        done = call(adapted(openai_agent(tools=[tool])), "In Poland.")
        assert tools_in(done)[-1] == {"call_id": "call_1", "name": tool.name, "phase": "finished", "summary": "In Poland."}
    assert ran == ["async", "sync"]


def test_handoffs_are_reported() -> None:
    refunds = OpenAIAgent(name="refunds", model="m-1")
    done = call(adapted(openai_agent(handoffs=[refunds])))
    assert [event.payload for event in done.events if event.kind == "handoff"] == [{"from": "clerk", "to": "refunds"}]
    assert done.result == WORDS


def test_cancelling_the_run_cancels_the_tool() -> None:
    held = Held()

    @function_tool
    async def look_up(city: str) -> str:
        await held.wait()
        return city

    held.cancel(adapted(openai_agent(tools=[look_up])), message="Where?")


def test_a_guardrail_refuses_the_arguments() -> None:
    async def refuse(context: Any, agent: Any, said: Any) -> GuardrailFunctionOutput:
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)

    with pytest.raises(SkillInputError, match="uardrail"):
        call(adapted(openai_agent(input_guardrails=[InputGuardrail(refuse)])))


def test_options_reach_the_runner_also_after_a_question() -> None:
    seen: list[Any] = []

    @function_tool(needs_approval=True)
    def look_up(wrapper: RunContextWrapper[str], city: str) -> str:
        seen.append(wrapper.context)
        return city

    agent = adapted(openai_agent(tools=[look_up]), options=lambda ctx: {"context": ctx.skill, "max_turns": 3})
    call(agent, {"approved": True})
    assert seen == ["run"]
    with pytest.raises(SkillInvocationError, match="Max turns"):
        call(adapted(openai_agent(tools=[look_up]), options={"max_turns": 1}), {"approved": True})

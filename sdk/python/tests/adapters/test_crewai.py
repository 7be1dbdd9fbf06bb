import asyncio
import gc
import os
import threading
from typing import Any

from crewai import LLM, Crew, Flow, Task
from crewai import Agent as Member
from crewai.flow import human_feedback, listen, start
from crewai.flow.flow import FlowState
from crewai.tools import tool
from pydantic import BaseModel

from svc import Agent
from svc.adapters.crewai import ask_sync, from_crewai
from svc.testing import TestAgent, TestResult

from .support import LOOP, WORDS, call, cancelled, tools_in


def member(*tools: Any) -> Member:
    llm = LLM(model=os.environ["MODEL"], provider="openai", stream=True)
    return Member(role="clerk", goal="Help", backstory="You help.", llm=llm, tools=list(tools))


def crew_of(*tools: Any, **more: Any) -> Crew:
    one = member(*tools)
    task = Task(**{"description": "Answer: {message}", "expected_output": "One sentence.", "agent": one, **more})
    return Crew(agents=[one], tasks=[task])


def adapted(crew: Any, **more: Any) -> type[Agent]:
    return from_crewai(crew, name="shop", description="Sells.", **more)


def test_text_comes_word_by_word() -> None:
    done = call(adapted(crew_of()))
    assert done.result == WORDS
    assert [event.payload["text"] for event in done.events if event.kind == "text_delta"] == ["Hel", "lo, ", "wörld ", "🙂"]


def test_a_run_makes_no_class() -> None:
    agent = adapted(crew_of())
    call(agent)
    before = FlowState.__subclasses__()
    gc.disable()
    try:
        call(agent)
        assert FlowState.__subclasses__() == before
    finally:
        gc.enable()


def test_arguments_are_the_placeholders_and_the_result_is_of_the_last_task() -> None:
    class Place(BaseModel):
        country: str

    one = member()
    first = Task(description="Look at {city} in {year}.", expected_output="A note.", agent=one)
    last = Task(description="Name it.", expected_output="A place.", agent=one, output_pydantic=Place)
    [skill] = TestAgent(adapted(Crew(agents=[one], tasks=[first, last]))).card["skills"]
    assert sorted(skill["input_schema"]["required"]) == ["city", "year"]
    assert skill["output_schema"]["properties"] == {"country": {"type": "string"}}


def test_tools_are_reported_and_may_ask_where_they_stand() -> None:
    ran: list[str] = []

    @tool
    def look_up(city: str) -> str:
        """Finds a city."""
        ran.append("before")
        return ask_sync(f"Where is {city}?")

    done = call(adapted(crew_of(look_up)), "In Poland.")
    assert (done.result, ran) == (WORDS, ["before"])
    assert [(one["name"], one["phase"]) for one in tools_in(done)] == [("look_up", "started"), ("look_up", "finished")]
    assert tools_in(done)[-1]["summary"] == "In Poland."
    assert len({one["call_id"] for one in tools_in(done)}) == 1


def test_human_input_is_a_form_and_what_is_to_change_goes_to_the_model() -> None:
    answers = iter([{"approved": False, "reason": "Shorter."}, {"approved": True}])
    agent = adapted(crew_of(human_input=True))
    done = LOOP.run(TestAgent(agent, answer=lambda _: next(answers)).invoke("run", message="Where?"))
    assert done.result == WORDS
    asked = [event.payload["prompt"] for event in done.events if event.kind == "question"]
    assert asked == [f"Is this right?\n\n{WORDS}"] * 2


def test_runs_at_the_same_time_do_not_mix() -> None:
    agent = adapted(crew_of())

    async def main() -> list[TestResult]:
        return await asyncio.gather(*(TestAgent(agent).invoke("run", message=str(n)) for n in range(6)))

    for done in LOOP.run(main()):
        assert "".join(event.payload["text"] for event in done.events if event.kind == "text_delta") == WORDS


class Review(Flow[dict[str, Any]]):  # type: ignore[misc]
    @start()
    def draft(self) -> str:
        return f"A draft for {self.state['message']}: {self.ask('Which colour?')}"

    @human_feedback(message="Is the draft right?")
    @listen(draft)
    def reviewed(self, text: str) -> str:
        return text

    @listen(reviewed)
    def end(self, result: Any) -> str:
        return f"{result.output} ({result.feedback})"


def test_a_flow_asks_for_input_and_feedback() -> None:
    done = call(adapted(Review), "blue", message="Ada")
    assert done.result == "A draft for Ada: blue (blue)"
    assert [event.payload["prompt"].split("\n")[0] for event in done.events if event.kind == "question"] == [
        "Which colour?",
        "Is the draft right?",
    ]


def test_a_cancelled_run_ends_at_its_next_step() -> None:
    reached: list[str] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        began, free = asyncio.Event(), threading.Event()

        @tool
        def look_up(city: str) -> str:
            """Finds a city."""
            loop.call_soon_threadsafe(began.set)
            free.wait(30)
            return city

        crew = crew_of(look_up)
        crew.tasks[0].callback = lambda _: reached.append("the end")
        await cancelled(TestAgent(adapted(crew)).start("run", {"message": "Where?"}), began)
        free.set()

    LOOP.run(main())
    for thread in threading.enumerate():
        if thread.name.startswith("asyncio_"):
            thread.join(0.5)
    assert reached == []

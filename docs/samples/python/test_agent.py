"""Every skill of the sample agent, through the SDK's test harness."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from svc import Agent, ModelFailed, RunContext, SandboxUnavailable, ScopeDenied, SkillInputError, SkillInvocationError, skill
from svc.testing import TestAgent, TestResult

from agent import FrontDesk

SECRETS = {"SUPPLIER_KEY": "test-key"}


# region testing
def test_greets_by_name() -> None:
    agent = TestAgent(FrontDesk, secrets=SECRETS)
    done = asyncio.run(agent.invoke("greet", name="Ada"))
    assert done.result == {"text": "Hello, Ada!"}


def test_waves_when_the_answer_is_yes() -> None:
    agent = TestAgent(FrontDesk, secrets=SECRETS, answer="yes")
    assert asyncio.run(agent.invoke("wave")).result is True


# endregion


def invoke(skill_name: str, /, args: dict[str, Any] | None = None, **options: Any) -> TestResult:
    return asyncio.run(TestAgent(FrontDesk, **{"secrets": SECRETS, **options}).invoke(skill_name, **(args or {})))


# region llm
def test_recommends_and_takes_notes_with_a_model_that_answers_as_the_test_says() -> None:
    order = {"item": "tea", "cups": 2, "sugar": False}
    answers = ("Take a strong coffee.", {"json": {**order, "cups": "two"}}, {"json": order})
    agent = TestAgent(FrontDesk, secrets=SECRETS, llm=answers)
    done = asyncio.run(agent.invoke("recommend", mood="sleepy"))
    assert (done.result, done.text) == ("Take a strong coffee.", "Take a strong coffee.")
    assert asyncio.run(agent.invoke("note", said="two teas")).result == order


# endregion


def test_says_whose_budget_is_spent() -> None:
    spent = ModelFailed("the run's budget is spent", model_code="llm_cap_reached")
    with pytest.raises(SkillInvocationError, match="No order today: the run's budget is spent"):
        invoke("note", {"said": "two teas"}, llm=[spent])


def test_reads_configuration_secrets_and_setup() -> None:
    assert invoke("price", config={"currency": "SEK"}, setup={"room": "12"}).result == {"text": "2 SEK, brought to room 12"}


@pytest.mark.parametrize("answer", ["no", None])
def test_does_not_wave_without_a_yes(answer: str | None) -> None:
    assert invoke("wave", answer=answer).result is False


def test_takes_an_order_by_form() -> None:
    order = {"item": "tea", "cups": 2, "sugar": False}
    assert invoke("order", answer=order).result == order


def test_commits_what_it_wrote_when_the_run_succeeds() -> None:
    agent = TestAgent(FrontDesk, secrets=SECRETS, files={"notes/today.md": "# Rain\nAll day.\n"})
    asyncio.run(agent.invoke("summarize", path="notes/today.md"))
    assert agent.files["summaries/note.md"] == b"# Rain\n"


def test_writes_nothing_when_the_person_refuses() -> None:
    refuse: Callable[[Any], bool] = lambda wish: wish["mode"] == "read_only"  # noqa: E731
    agent = TestAgent(FrontDesk, secrets=SECRETS, files={"notes/today.md": "# Rain\n"}, approve=refuse)
    with pytest.raises(ScopeDenied):
        asyncio.run(agent.invoke("summarize", path="notes/today.md"))
    assert list(agent.files) == ["notes/today.md"]


class Loud(Agent):
    name = "loud-greeter"
    description = "Greets loudly."
    version = "0.1.0"

    @skill(tags=("loud",))
    async def greet(self, ctx: RunContext, name: str) -> dict[str, str]:
        return {"text": f"HELLO, {name.upper()}!"}


def test_calls_another_agent() -> None:
    assert invoke("shout", {"name": "Ada"}, agents=[TestAgent(Loud)]).result == {"text": "HELLO, ADA!"}


def test_names_what_is_missing_when_no_agent_fits() -> None:
    with pytest.raises(SkillInvocationError, match='tag "loud"'):
        invoke("shout", {"name": "Ada"})


def test_has_no_sandbox_outside_of_the_platform() -> None:
    with pytest.raises(SandboxUnavailable):
        invoke("compute", {"code": "print(1)"})


def test_counts_visits_between_runs() -> None:
    agent = TestAgent(FrontDesk, secrets=SECRETS)
    asyncio.run(agent.invoke("visit"))
    assert asyncio.run(agent.invoke("visit")).result == 2


def test_reports_progress_and_leaves_an_artifact() -> None:
    done = invoke("count", {"to": 3})
    assert done.text == "1 2 3 "
    assert done.artifacts == {"count.txt": b"3\n"}


def test_refuses_arguments_with_a_reason() -> None:
    assert invoke("split", {"total": 9, "guests": 2}).result == 4.5
    with pytest.raises(SkillInputError, match="at least one guest"):
        invoke("split", {"total": 9, "guests": 0})


def test_answers_mail() -> None:
    assert invoke("on_email", {"subject": "Tea", "attachments": []}).result == 'Thank you for "Tea" with 0 files.'

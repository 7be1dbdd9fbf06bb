"""TestAgent: everything between caller and handler but the network."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from svc import (
    Agent,
    APIKeyAuth,
    APIKeyAuthResolver,
    AuthError,
    AuthRequest,
    CallFailed,
    MissingScopes,
    QuestionTimeout,
    RunA2AClient,
    RunContext,
    ScopeDenied,
    Secret,
    SkillInputError,
    SkillInvocationError,
    SkillNotFound,
    SkillOutputError,
    SkillTimeout,
    WorkspaceDenied,
    skill,
)
from svc.auth import resolve_principal
from svc.testing import TestAgent

from .agents.parts import Caller, Parts

T = TypeVar("T")


def wait(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def parts(**options: Any) -> TestAgent[Parts]:
    return TestAgent(Parts, **{"secrets": {"TOKEN": "t"}, "auth": Caller(), **options})


def test_runs_a_skill_and_starts_the_agent_once() -> None:
    async def story() -> None:
        agent = parts(config={"greeting": "Moin"})
        assert (await agent.invoke("sum", a=1)).result == 2
        about = (await agent.invoke("about", point={"x": 3}, auth=Caller(user="ada"))).result
        assert (about["greeting"], about["user"], about["started"], about["sum"]) == ("Moin", "ada", 1, 3)
        await agent.shutdown()
        assert [entry["message"] for entry in agent.log] == ["starting", "stopping"]

    wait(story())


def test_events_and_artifacts() -> None:
    done = wait(parts().invoke("count", to=3))
    assert done.text == "0:1:2:"
    assert [event.kind for event in wait(parts().invoke("reports")).events] == ["progress", "error", "mine.own", "artifact"]
    assert wait(parts().invoke("stores", size=3)).artifacts == {"big.bin": b"\x01\x01\x01"}


def test_questions_are_answered_or_time_out() -> None:
    assert wait(parts(answer=lambda prompt: prompt.upper()).invoke("asks", prompt="blue?")).result == "you said BLUE?"
    with pytest.raises(QuestionTimeout) as late:
        wait(parts().invoke("asks", prompt="blue?"))
    assert isinstance(late.value, TimeoutError)


def test_a_form_is_filled_in() -> None:
    done = wait(parts(answer={"x": 3, "y": 4}).invoke("orders"))
    assert done.result == {"x": 3, "y": 4}
    assert done.events[0].payload["schema"]["required"] == ["x"]


def test_errors_are_those_a_caller_sees() -> None:
    for args, error in (
        ({"how": "input"}, SkillInputError),
        ({"how": "output"}, SkillOutputError),
        ({"how": "else"}, SkillInvocationError),
        ({"wrong": 1}, SkillInputError),
    ):
        with pytest.raises(error):
            wait(parts().invoke("fails", **args))
    with pytest.raises(MissingScopes):
        wait(parts().invoke("guarded"))
    with pytest.raises(SkillNotFound):
        wait(parts().invoke("nothing"))
    assert wait(parts(auth=Caller(scopes=["items:write"])).invoke("guarded")).result == "in"


def test_workspace_edits_are_staged_and_committed_with_success() -> None:
    async def story() -> None:
        agent = parts(files={"a.txt": "old", "b.txt": "other"})
        done = await agent.invoke("edits", path="a.txt", text="new")
        assert done.result == {"before": "old", "patch": "write", "after": "new", "staged": 1}
        assert agent.files["a.txt"] == b"new"
        assert done.patches[0]["state"] == "committed"

    wait(story())
    with pytest.raises(ScopeDenied):
        wait(parts(files={"a.txt": ""}, approve=lambda wish: False).invoke("edits", path="a.txt", text="x"))


class Caller2(Agent):
    name = "caller"
    description = "Calls others."
    version = "0.1.0"

    @skill(timeout_seconds=0.2)
    async def relay(self, ctx: RunContext, target: str, skill: str, args: dict[str, Any]) -> Any:
        return (await RunA2AClient(ctx).call(target, skill, args)).result

    @skill()
    async def discover(self, ctx: RunContext) -> list[str]:
        return [found.name for found in await ctx.find_agents(skill="sum")]

    @skill()
    async def peek(self, ctx: RunContext) -> str:
        return (await (await ctx.workspace.view()).read("a")).decode()


def test_agents_call_each_other_in_memory() -> None:
    agent = TestAgent(Caller2, agents=[parts()])
    assert wait(agent.invoke("relay", target="parts", skill="sum", args={"a": 40, "b": 2})).result == 42
    assert wait(agent.invoke("discover")).result == ["parts"]
    with pytest.raises(CallFailed) as refused:
        wait(agent.invoke("relay", target="parts", skill="sum", args={}))
    assert (refused.value.callee_code, refused.value.callee_status) == ("skill_input_error", 400)
    with pytest.raises(CallFailed):
        wait(agent.invoke("relay", target="nobody", skill="sum", args={}))
    with pytest.raises(SkillTimeout):
        wait(agent.invoke("relay", target="parts", skill="waits", args={"seconds": 30}))
    with pytest.raises(WorkspaceDenied):
        wait(agent.invoke("peek"))


def test_cancelling() -> None:
    async def story() -> None:
        agent = parts()
        run = agent.start("waits", {"seconds": 60})
        await asyncio.sleep(0.01)
        run.cancel()
        with pytest.raises(Exception, match="cancelled by the caller"):
            await run.result()
        assert agent.agent.cleaned == 1

    wait(story())


def test_resolvers_compile_without_their_keys() -> None:
    named = APIKeyAuthResolver(Secret("KEY"), "a-very-long-key-id", ["a"])
    assert named.to_dsl() == {"kind": "api_key", "secret": "KEY", "api_key_id": "a-very-long-key-id", "scopes": ["a"]}
    literal = APIKeyAuthResolver("sesame", "a-very-long-key-id")
    assert literal.to_dsl() == {"kind": "worker"}
    found = wait(resolve_principal(literal, AuthRequest(bearer="sesame")))
    assert APIKeyAuth.model_validate(found).api_key_id == "a-very-long-"
    with pytest.raises(AuthError):
        wait(resolve_principal(literal, AuthRequest(bearer="other")))


class Ids(Agent):
    name = "ids"
    description = "Calculates with ids."
    version = "1.0.0"

    @skill()
    async def doubled(self, ctx: RunContext[Any], value: int) -> int:
        """Twice the number."""
        return value * 2

    @skill()
    async def next_to(self, ctx: RunContext[Any], value: int) -> int:
        """Four more."""
        return value + 4


def test_whole_numbers_that_would_arrive_as_others_are_refused_as_on_the_platform() -> None:
    agent = TestAgent(Ids)
    assert wait(agent.invoke("doubled", value=2**40)).result == 2**41
    with pytest.raises(SkillInputError, match="9007199254740993 cannot be carried exactly"):
        wait(agent.invoke("doubled", value=2**53 + 1))
    with pytest.raises(SkillOutputError, match="9007199254740995 cannot be carried exactly"):
        wait(agent.invoke("next_to", value=2**53 - 1))

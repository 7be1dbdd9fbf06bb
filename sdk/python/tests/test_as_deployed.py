"""TestAgent refuses what the platform refuses, and takes what it takes."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, ClassVar, TypeVar

import pytest
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from svc import (
    Agent,
    AgentDeclarationError,
    AuthError,
    Caller,
    JWTAuth,
    LifecycleContext,
    MissingScopes,
    NoAuth,
    NobodyToAsk,
    RemoteBearerAuthResolver,
    RunContext,
    ScopeDenied,
    SkillInvocationError,
    WorkspaceAccess,
    WorkspaceDenied,
    skill,
)
from svc.auth import AuthRequest, AuthResolver, resolve_principal
from svc.context import shaped_auth
from svc.declare import declare
from svc.project import compiled
from svc.testing import Person, TestAgent
from svc.worker.host import AgentHost

T = TypeVar("T")
FILES = {"a.txt": "a", "b.txt": "bb", "secret.key": "k"}


def wait(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


class Reader(Agent):
    name = "reader"
    description = "Reads files."
    version = "0.1.0"
    workspace_access = WorkspaceAccess.dynamic(max_files=2, deny_patterns=("*.key",), max_total_size_bytes=3)

    @skill()
    async def opens(self, ctx: RunContext, purpose: str = "to read", mode: str = "read_only", most: int = 10) -> list[str]:
        view = await ctx.workspace.open_view(purpose, mode=mode, max_files=most)  # type: ignore[arg-type]
        return [file.path for file in view.files]

    @skill()
    async def names(self, ctx: RunContext, files: list[str], reason: str = "to read") -> int:
        return len((await ctx.workspace.request_access(files, "read_only", reason)).files)

    @skill(allow_scope_expansion=True)
    async def widens(self, ctx: RunContext, read: list[str], reason: str = "to read") -> str:
        return (await ctx.request_scope(reason, read)).mode


def test_the_purpose_is_the_reason_where_none_is_given() -> None:
    wishes: list[Any] = []

    def approve(wish: Any) -> bool:
        wishes.append(wish)
        return True

    agent = TestAgent(Reader, files={"a.txt": "a"}, approve=approve)
    assert wait(agent.invoke("opens", purpose="to count words")).result == ["a.txt"]
    assert wishes[0]["reason"] == "to count words"


@pytest.mark.parametrize(
    ("call", "args", "says"),
    [
        ("opens", {"purpose": " "}, "requires a reason"),
        ("names", {"files": ["a.txt"], "reason": ""}, "requires a reason"),
        ("widens", {"read": ["a.txt"], "reason": ""}, "requires a reason"),
        ("opens", {"mode": "read_write_overlay"}, "read_only"),
        ("names", {"files": ["a.txt", "b.txt", "c.txt"]}, "2 files"),
        ("names", {"files": ["secret.key"]}, "denies"),
        ("widens", {"read": ["secret.key"]}, "denies"),
        ("widens", {"read": []}, "neither"),
    ],
)
def test_the_policy_of_the_agent_counts_in_tests(call: str, args: dict[str, Any], says: str) -> None:
    with pytest.raises(ScopeDenied, match=says):
        wait(TestAgent(Reader, files=FILES).invoke(call, **args))


def test_what_is_picked_fits_the_policy() -> None:
    assert wait(TestAgent(Reader, files=FILES).invoke("opens")).result == ["a.txt", "b.txt"]
    with pytest.raises(ScopeDenied, match="3 bytes"):
        wait(TestAgent(Reader, files={"long.txt": "long"}).invoke("names", files=["long.txt"]))


def test_an_agent_that_declares_no_workspace_opens_none() -> None:
    class Closed(Reader):
        workspace_access = WorkspaceAccess.none()

    with pytest.raises(WorkspaceDenied, match="declares no workspace access"):
        wait(TestAgent(Closed, files=FILES).invoke("opens"))
    with pytest.raises(WorkspaceDenied, match="declares no workspace access"):
        wait(TestAgent(Closed, files=FILES).invoke("names", files=["a.txt"]))


class Asking(Agent):
    name = "asking"
    description = "Says who calls."
    version = "0.1.0"
    auth_model: type[BaseModel] = JWTAuth

    @skill()
    async def who(self, ctx: RunContext[Any]) -> str:
        return type(ctx.auth).__name__


def test_nobody_is_no_auth_where_the_model_has_required_fields() -> None:
    assert isinstance(shaped_auth(JWTAuth, {}), NoAuth)
    assert wait(TestAgent(Asking).invoke("who")).result == "NoAuth"


def test_a_principal_that_says_too_little_is_refused_as_unauthorized() -> None:
    class Other(BaseModel):
        user: str = "ada"

    with pytest.raises(AuthError) as refused:
        shaped_auth(JWTAuth, {"user": "ada"})
    assert refused.value.status == 401
    with pytest.raises(AuthError):
        wait(TestAgent(Asking, auth=Other()).invoke("who"))


def test_hooks_and_health_may_be_written_without_async() -> None:
    class Plain(Asking):
        seen: ClassVar[list[str]] = []

        def startup(self, ctx: LifecycleContext) -> None:  # type: ignore[override]
            self.seen.append("startup")

        def shutdown(self, ctx: LifecycleContext) -> None:  # type: ignore[override]
            self.seen.append("shutdown")

        def health(self) -> bool:  # type: ignore[override]
            return True

    async def story() -> None:
        agent = TestAgent(Plain)
        await agent.invoke("who")
        await agent.shutdown()
        host = AgentHost(Plain)
        await host.start({}, {}, lambda *_: None)
        assert await host.healthy(1)
        await host.shutdown(lambda *said: pytest.fail(str(said)))

    wait(story())
    assert Plain.seen == ["startup", "shutdown"] * 2


class Employee(BaseModel):
    sub: str
    badge: int


def test_the_model_of_a_remote_resolver_shapes_the_caller() -> None:
    class Remote(Asking):
        auth_model = NoAuth
        auth_resolver = RemoteBearerAuthResolver("https://id.example.com/me", auth_model=Employee)

    assert compiled("m:Remote", Remote, declare(Remote))["auth_model"]["required"] == ["sub", "badge"]
    assert AgentHost(Remote).auth_model is Employee
    assert wait(TestAgent(Remote, auth=Employee(sub="ada", badge=7)).invoke("who")).result == "Employee"


def test_two_models_of_the_caller_are_one_too_many() -> None:
    class Two(Asking):
        auth_resolver = RemoteBearerAuthResolver("https://id.example.com/me", auth_model=Employee)

    with pytest.raises(AgentDeclarationError, match="auth_model"):
        declare(Two)


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    org_name: str
    scopes: list[str] = Field(default_factory=list)


def test_a_resolver_of_ones_own_fills_a_model_by_its_aliases() -> None:
    class Own(AuthResolver):
        async def resolve(self, request: AuthRequest) -> BaseModel:
            return Camel(org_name="acme")

    told = wait(resolve_principal(Own(), AuthRequest(bearer=None)))
    assert told["orgName"] == "acme"
    assert shaped_auth(Camel, told).org_name == "acme"


def test_what_the_owner_is_asked_the_caller_does_not_read() -> None:
    class Desk(Agent):
        name = "desk"
        description = "Asks its owner."
        version = "0.1.0"

        @skill()
        async def decide(self, ctx: RunContext) -> str:
            return await ctx.ask("Approve?", of="owner")

    done = wait(TestAgent(Desk, answer="denied").invoke("decide"))
    assert done.result == "denied"
    assert [event.kind for event in done.events] == []


class Desk(Agent):
    name = "desk"
    description = "Asks whom it is told to."
    version = "0.1.0"

    @skill()
    async def ask(self, ctx: RunContext, of: Any) -> str:
        return await ctx.ask("Approve?", of=of)

    @skill()
    async def keep(self, ctx: RunContext, mine: str) -> dict[str, Any]:
        await ctx.shared_memory.put(mine, {"by": ctx.caller.sub if ctx.caller else None})
        if ctx.caller is not None:
            await ctx.memory.put(mine, "own")
        return {"all": [entry.key for entry in (await ctx.shared_memory.list()).items]}

    @skill(scopes=["records"])
    async def own(self, ctx: RunContext) -> list[str]:
        return [entry.key for entry in (await ctx.memory.list()).items]


BEN = Caller(kind="user", sub="ben@example.com", scopes=["records"])
PEOPLE = (Person("cfo@example.com", id="usr_1", role="admin"), Person("ben@example.com", role="developer"))


@pytest.mark.parametrize("of", ["owner", {"people": ["CFO@example.com"]}, {"people": ["usr_1"]}, {"role": "admin"}])
def test_others_are_asked_and_the_caller_does_not_read_it(of: Any) -> None:
    desk = TestAgent(Desk, answer="yes", people=PEOPLE, caller=None)
    done = wait(desk.invoke("ask", of=of))
    assert (done.result, [event.kind for event in done.events]) == ("yes", [])
    assert [(asked.prompt, asked.of) for asked in desk.asked] == [("Approve?", of)]


@pytest.mark.parametrize(
    ("caller", "of"),
    [
        (None, "caller"),
        (BEN, {"role": "developer"}),
        (BEN, {"role": "auditor"}),
        (BEN, {"people": ["cfo@example.com", "stranger@example.com"]}),
    ],
)
def test_who_cannot_be_asked_is_not_asked(caller: Any, of: Any) -> None:
    desk = TestAgent(Desk, answer="yes", people=PEOPLE, caller=caller)
    with pytest.raises(NobodyToAsk):
        wait(desk.invoke("ask", of=of))
    assert desk.asked == []


@pytest.mark.parametrize(
    "of",
    ["everybody", {}, {"people": []}, {"people": "a@b.c"}, {"people": ["x"] * 21}, {"role": "boss"}, {"role": "admin", "people": ["x"]}],
)
def test_a_recipient_of_no_kind_is_refused(of: Any) -> None:
    with pytest.raises(SkillInvocationError, match="ask: `of` is"):
        wait(TestAgent(Desk, answer="yes", people=PEOPLE).invoke("ask", of=of))


def test_each_caller_has_a_memory_of_their_own_and_all_share_one() -> None:
    desk = TestAgent(Desk, caller=BEN)
    assert wait(desk.invoke("keep", mine="a")).result == {"all": ["a"]}
    assert wait(desk.called_by(None).invoke("keep", mine="b")).result == {"all": ["a", "b"]}
    ada = desk.called_by(Caller(kind="user", sub="ada@example.com", scopes=["records"]))
    assert wait(ada.invoke("own")).result == []
    assert wait(desk.invoke("own")).result == ["a"]
    with pytest.raises(MissingScopes):
        wait(desk.called_by(None).invoke("own"))

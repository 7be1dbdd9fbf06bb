"""Setup of callers: declared in the card, found in ctx.setup, and what cannot be declared."""

from __future__ import annotations

import asyncio

import pytest

from svc import Agent, AgentDeclarationError, RunContext, SetupField, skill
from svc.declare import declare
from svc.testing import TestAgent


class Base(Agent):
    name = "sample"
    description = "For tests."
    version = "1.0.0"

    @skill()
    async def show(self, ctx: RunContext) -> dict[str, str | int | float | bool]:
        return dict(ctx.setup)


class Needy(Base):
    consumer_setup = (
        {"name": "api_key", "kind": "secret", "required": True},
        SetupField(name="region", default="eu"),
        SetupField(name="limit", type="number"),
    )


def test_the_card_says_what_is_needed_and_nothing_where_nothing_is() -> None:
    assert "consumer_setup" not in declare(Base).card
    assert declare(Needy).card["consumer_setup"] == [
        {"name": "api_key", "kind": "secret", "type": "string", "description": "", "required": True, "scope": "user"},
        {"name": "region", "kind": "config", "type": "string", "description": "", "required": False, "scope": "user", "default": "eu"},
        {"name": "limit", "kind": "config", "type": "number", "description": "", "required": False, "scope": "user"},
    ]


def test_a_skill_finds_what_was_set_and_the_defaults() -> None:
    agent = TestAgent(Needy, setup={"api_key": "k", "limit": True, "unknown": "x"})
    assert asyncio.run(agent.invoke("show")).result == {"api_key": "k", "region": "eu"}


@pytest.mark.parametrize(
    "fields",
    [
        ({"name": "a b"},),
        ({"name": "a", "kind": "secret", "default": "x"},),
        ({"name": "a", "type": "number", "default": "x"},),
        ({"name": "a"}, {"name": "a"}),
        tuple({"name": f"f{n}"} for n in range(10_000)),
    ],
)
def test_what_cannot_be_declared_is_a_problem(fields: tuple[dict[str, object], ...]) -> None:
    with pytest.raises(AgentDeclarationError):
        declare(type("Wrong", (Base,), {"consumer_setup": fields}))

"""Traces name the author's own line first, and fold what is not theirs."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import BaseModel

from svc import Agent, AgentNotReady, RunContext, SkillInvocationError, skill
from svc.invoke import failure
from svc.testing import TestAgent


class Item(BaseModel):
    name: str
    count: int


class Order(BaseModel):
    items: list[Item]


class Careless(Agent[Order]):
    config_model = Order
    name = "careless"
    description = "Fails."
    version = "0.1.0"

    @skill()
    async def reads(self, ctx: RunContext) -> None:
        Order.model_validate({"items": [{"count": "many"}]})

    @skill()
    async def divides(self, ctx: RunContext) -> float:
        try:
            return _half(0)
        except ZeroDivisionError as error:
            raise LookupError("no half") from error


def _half(of: int) -> float:
    return 1 / of


def trace(name: str) -> tuple[str, str]:
    async def story() -> BaseException | None:
        with pytest.raises(SkillInvocationError) as raised:
            await TestAgent(Careless, config={"items": []}).invoke(name)
        return raised.value.__cause__

    cause = asyncio.run(story())
    assert cause is not None
    wire = failure(cause)
    return wire["message"], wire["log"]


def test_a_validation_error_names_its_fields_and_the_authors_line() -> None:
    message, log = trace("reads")
    assert message == (
        "ValidationError: items.0.name: Field required; "
        "items.0.count: Input should be a valid integer, unable to parse string as an integer"
    )
    first, *rest = log.splitlines()
    assert first.startswith(message)
    assert first.endswith(", in reads)")
    assert "test_traces.py:" in first
    assert "errors.pydantic.dev" not in log
    own = next(at for at, line in enumerate(rest) if "in reads" in line)
    assert 'Order.model_validate({"items"' in rest[own + 1]
    assert rest[own + 2] == "  … 1 frame in pydantic"
    assert not any("svc/invoke.py" in line or "svc/testing/" in line for line in rest)


def test_causes_follow_each_with_its_place() -> None:
    message, log = trace("divides")
    assert message == "LookupError: no half"
    after, cause = log.split("Caused by:\n")
    assert after.startswith("LookupError: no half (")
    assert cause.startswith("ZeroDivisionError: division by zero (")
    assert cause.splitlines()[0].endswith(", in _half)")


def test_a_configuration_that_does_not_fit_is_told_by_field() -> None:
    with pytest.raises(AgentNotReady, match=r"^the configuration does not fit: items: Field required$"):
        TestAgent(Careless, config={})

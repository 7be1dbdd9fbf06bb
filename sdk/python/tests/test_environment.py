"""required_env: what the owner stored is in the environment from startup on, and nothing else is."""

from __future__ import annotations

import asyncio
import os

import pytest

from svc import Agent, LifecycleContext, RunContext, skill
from svc.worker.host import AgentHost


class Regional(Agent):
    name = "regional"
    description = "For tests."
    version = "1.0.0"
    required_env = ("TEST_REGION", "SVC_API_KEY", "not a name")
    seen: str | None = None

    async def startup(self, ctx: LifecycleContext) -> None:
        self.seen = os.environ.get("TEST_REGION")

    @skill()
    async def go(self, ctx: RunContext) -> str:
        return os.environ["TEST_REGION"]


def test_stored_variables_are_found_from_startup_on(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEST_REGION", "TOKEN", "SVC_API_KEY"):
        monkeypatch.setenv(name, "before")
    host = AgentHost(Regional)
    stored = {"TEST_REGION": "eu", "TOKEN": "secret", "SVC_API_KEY": "mine", "not a name": "x"}
    asyncio.run(host.start({}, stored, lambda *_: None))
    assert host.agent.seen == "eu"  # type: ignore[attr-defined]
    assert (os.environ["TOKEN"], os.environ["SVC_API_KEY"]) == ("before", "before")
    assert "not a name" not in os.environ
    host.keep({"TEST_REGION": "us"})
    assert os.environ["TEST_REGION"] == "us"

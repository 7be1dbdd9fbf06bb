import asyncio
from typing import Any

import pytest
from svc import Agent, RunContext, SkillInvocationError, skill
from svc.testing import TestAgent

from agent import Analyst
from brief import brief_of

FILES = {"data/ferries.csv": "month,passengers\n2026-01,12\n", "notes/ice.md": "The harbour froze."}
PROFILE = {"rows": 1, "columns": [{"name": "passengers", "kind": "number", "min": 12, "max": 12, "median": 12, "outliers": []}]}


class Charts(Agent):
    name = "some-charts"
    description = "Draws."
    version = "0.1.0"

    @skill(tags=("data", "chart"))
    async def draw(self, ctx: RunContext, file: str, title: str) -> dict[str, Any]:
        return {**PROFILE, "title": title, "file": file}


class Reader(Agent):
    name = "some-reader"
    description = "Reads."
    version = "0.1.0"

    @skill(tags=("workspace", "search"))
    async def find(self, ctx: RunContext, question: str) -> dict[str, Any]:
        return {"passages": [{"path": "notes/ice.md", "line": 1, "text": "The harbour froze.", "score": 1.0}]}


def test_joins_what_the_others_found() -> None:
    agent = TestAgent(Analyst, files=FILES, agents=[TestAgent(Charts), TestAgent(Reader)])
    done = asyncio.run(agent.invoke("investigate", question="Why so few?", data="data/ferries.csv"))
    assert done.result["rows"] == 1
    assert done.result["helped_by"] == ["some-charts", "some-reader"]
    assert "> The harbour froze." in done.artifacts["brief.md"].decode()


def test_says_who_is_missing() -> None:
    with pytest.raises(SkillInvocationError, match="draws tables"):
        asyncio.run(
            TestAgent(Analyst, files=FILES, agents=[TestAgent(Reader)]).invoke("investigate", question="Why?", data="data/ferries.csv")
        )


def test_the_brief_names_what_is_unlike_the_others() -> None:
    column = {"name": "passengers", "kind": "number", "min": 1, "max": 90, "median": 12, "outliers": [90]}
    brief = brief_of("Why?", "a.csv", {"rows": 4, "columns": [column]}, [], "mean 27\n")
    assert "- **passengers**: 1 to 90, median 12, unlike the others: 90" in brief
    assert "Computed: mean 27" in brief

"""Spec 2, "Skill declaration": the four rules, each problem with file and line, all at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from svc import Agent, AgentDeclarationError, RunContext, SkillInputError, SkillOutputError, WorkspaceAccess, skill
from svc.declare import declare


class Base(Agent):
    name = "sample"
    description = "For tests."
    version = "1.0.0"


class Nested(BaseModel):
    title: str
    again: Nested | None = None


class Typed(Base):
    @skill(name="look-up")
    async def look(
        self,
        ctx: RunContext,
        json: str,
        copy: Annotated[int, Field(ge=1, description="How often.")] = 1,
        nested: Nested | None = None,
        kind: Literal["a", "b"] = "a",
        *,
        only: bool = False,
    ) -> list[Nested]:
        return []


def test_schemas_are_closed_and_list_what_has_no_default() -> None:
    card = declare(Typed).card["skills"][0]
    schema = card["input_schema"]
    assert card["id"] == "look-up"
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["json"]
    assert schema["properties"]["json"] == {"type": "string"}
    assert schema["properties"]["copy"] == {"default": 1, "description": "How often.", "minimum": 1, "type": "integer"}
    assert schema["properties"]["kind"] == {"default": "a", "enum": ["a", "b"], "type": "string"}
    assert schema["properties"]["only"] == {"default": False, "type": "boolean"}
    # A member may be called title.
    assert schema["$defs"]["Nested"]["properties"]["title"] == {"type": "string"}
    assert "title" not in schema["$defs"]["Nested"]
    assert "ctx" not in json.dumps(card)
    # In the order of the signature: forms show it so.
    assert list(schema["properties"]) == ["json", "copy", "nested", "kind", "only"]


def test_arguments_come_as_their_types_and_unknown_ones_are_refused() -> None:
    bound = declare(Typed).skills["look-up"]
    arguments = bound.arguments({"json": "x", "nested": {"title": "t"}})
    assert arguments == {"json": "x", "copy": 1, "nested": Nested(title="t"), "kind": "a", "only": False}
    with pytest.raises(SkillInputError) as refused:
        bound.arguments({"copy": 0, "other": 1})
    assert sorted(issue["path"][0] for issue in refused.value.issues) == ["copy", "json", "other"]


class Unknown:
    pass


class Broken(Base):
    version = "1"
    concurrency = 0
    required_secrets = "TOKEN"  # type: ignore[assignment]
    resources = {"memory": "256"}  # type: ignore[assignment]  # noqa: RUF012
    workspace_access = "read_only"  # type: ignore[assignment]

    @skill()  # type: ignore[arg-type]
    def sync(self, ctx: RunContext) -> int:
        return 1

    @skill()
    async def bare(self, ctx: RunContext, a, *more: int, **others: int) -> int:  # type: ignore[no-untyped-def]
        return 1

    @skill()
    async def alone(self) -> int:
        return 1

    @skill()
    async def swapped(self, name: str) -> int:
        return 1

    @skill(max_retries=2, timeout_seconds=0)
    async def eager(self, ctx: RunContext) -> int:
        return 1

    @skill(name="a b")
    async def spaced(self, ctx: RunContext) -> int:
        return 1

    @skill()
    async def odd(self, ctx: RunContext, thing: Unknown) -> int:
        return 1


def test_every_problem_is_told_at_once_with_its_line() -> None:
    with pytest.raises(AgentDeclarationError) as refused:
        declare(Broken)
    told = {problem.message for problem in refused.value.problems}
    for start in (
        "sync: the handler must be asynchronous",
        'bare: parameter "a" needs a type annotation',
        "bare: *more is variadic",
        "bare: **others is variadic",
        "alone: its first parameter after the instance is the run context",
        'swapped: its first parameter "name" is the run context',
        "eager: timeout_seconds must be greater than 0",
        "spaced: the name must start with a letter",
        "odd: its schema cannot be published",
        "version: use a semantic version",
        "concurrency: use 1 or more",
        "required_secrets: write a tuple of strings",
        "resources: memory: ",
        "workspace_access: use WorkspaceAccess.dynamic(…) or WorkspaceAccess.none()",
    ):
        assert any(message.startswith(start) for message in told), (start, told)
    assert len(told) == 14
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    for problem in refused.value.problems:
        assert problem.file == __file__
        assert problem.line is not None
        attribute = problem.message.partition(":")[0]
        assert attribute in " ".join(lines[problem.line - 1 : problem.line + 1])


def test_a_skill_may_not_take_the_name_of_the_tool_that_answers_questions() -> None:
    class Taken(Base):
        @skill()
        async def answer_question(self, ctx: RunContext) -> int:
            return 1

    with pytest.raises(AgentDeclarationError, match="give the skill another name"):
        declare(Taken)


def test_an_agent_without_skills_and_two_of_one_name() -> None:
    class Double(Base):
        @skill(name="x")
        async def a(self, ctx: RunContext) -> int:
            return 1

        @skill(name="x")
        async def b(self, ctx: RunContext) -> int:
            return 1

    with pytest.raises(AgentDeclarationError, match="no skills: mark an async method"):
        declare(Base)
    with pytest.raises(AgentDeclarationError, match='two skills are named "x"'):
        declare(Double)


def test_defaults_are_the_specifications() -> None:
    none, dynamic = WorkspaceAccess.none(), WorkspaceAccess.dynamic()
    assert (none.enabled, none.max_files, none.require_reason) == (False, 0, True)
    assert (dynamic.enabled, dynamic.max_files, dynamic.max_total_size_bytes) == (True, 25, 104_857_600)
    card = declare(Typed).card
    assert card["skills"][0]["policy"] == {
        "timeout_seconds": None,
        "idempotent": False,
        "max_retries": 0,
        "cost_class": None,
        "allow_scope_expansion": False,
    }
    assert card["runtime"]["resources"] == {"cpu": "100m", "memory": "256Mi", "gpu": 0, "max_runtime_seconds": 600}
    assert card["runtime"]["concurrency"] == 1


def run(folder: Path, *args: str) -> tuple[int, Any]:
    done = subprocess.run([sys.executable, "-m", "svc", *args], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("import svc\nclass A(:\n", 2, "SyntaxError"),
        (
            "import svc\nimport not_there_at_all\n",
            2,
            'the module "not_there_at_all" is not installed; add its package to requirements.txt or pyproject.toml',
        ),
        ("x = 1\ny = x / 0\n", 2, "ZeroDivisionError"),
        ("A = 5\n", None, 'agent.py has no agent; it is empty: write "class A(Agent):"'),
        ("from svc import Agent\nclass B(Agent):\n    pass\n", None, 'agent.py has no A; its agent is B: write "entrypoint: agent:B"'),
        (
            "from svc import Agent\nprint('noise')\nclass A(Agent):\n    name = 'a'\n    description = ''\n    version = 'x'\n",
            6,
            "version: ",
        ),
    ],
)
def test_projects_with_mistakes_are_told_as_json(tmp_path: Path, source: str, line: int | None, message: str) -> None:
    (tmp_path / "agent.py").write_text(source, encoding="utf-8")
    status, problems = run(tmp_path, "compile", "agent:A")
    assert status == 1
    found = [problem for problem in problems if problem["message"].startswith(message)]
    assert found, problems
    if line is not None:
        assert (found[0]["file"], found[0]["line"]) == (str(tmp_path / "agent.py"), line)


def test_a_file_that_changed_twice_in_a_second_is_what_it_is_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    source = "\n".join(
        [
            "from svc import Agent, RunContext, skill",
            "class A(Agent):",
            "    name, description, version = 'a', 'For tests.', '{}'",
            "    @skill()",
            "    async def hello(self, ctx: RunContext) -> str:",
            "        return ''",
        ]
    )
    for version in ("1.0.0", "2.0.0"):
        (tmp_path / "agent.py").write_text(source.format(version), encoding="utf-8")
        os.utime(tmp_path / "agent.py", (1_700_000_000, 1_700_000_000))
        assert run(tmp_path, "card", "agent:A")[1]["version"] == version
    assert [path.name for path in tmp_path.iterdir()] == ["agent.py"]


def test_a_missing_module_and_a_bad_entrypoint(tmp_path: Path) -> None:
    assert 'there is no module "nothing"' in run(tmp_path, "card", "nothing:A")[1][0]["message"]
    assert 'use "module:Class"' in run(tmp_path, "card", "nothing")[1][0]["message"]


def test_compiled_declaration() -> None:
    status, dsl = run(Path(__file__).parent / "agents", "compile", "parts.py:Parts")
    assert status == 0
    assert dsl["worker"] == {"language": "python", "entrypoint": "parts.py:Parts"}
    assert dsl["auth_resolver"] == {"kind": "worker"}
    assert set(dsl["auth_model"]["properties"]) == {"user", "scopes"}


class Sum(BaseModel):
    total: int


WRONG: dict[str, Any] = {"total": "hunter2"}


class Total(Base):
    @skill()
    async def sum(self, ctx: RunContext) -> Sum:
        return Sum.model_construct(**WRONG)


def test_a_result_that_does_not_fit_names_the_field_and_not_the_value() -> None:
    bound = declare(Total).skills["sum"]
    with pytest.raises(SkillOutputError) as raised:
        bound.result(Sum.model_construct(**WRONG))
    wire = raised.value.to_wire()
    assert wire["issues"] == [{"path": ["total"], "code": "invalid_type", "message": "Expected `int`"}]
    assert "hunter2" not in json.dumps(wire)

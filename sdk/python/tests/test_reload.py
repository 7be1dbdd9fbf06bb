"""Changed code in a process that has loaded the project before: modules, declarations, what is wrong, and the two agents side by side."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from svc.project import ProjectError, load_agent, load_declaration, reload_declaration
from svc.worker.connection import WorkerConnection
from svc.worker.host import AgentHost
from svc.worker.loads import Loads, reloading
from svc.worker.session import WorkerSession

AGENT = """
    import asyncio
    from pathlib import Path
    from svc import Agent, RunContext, skill
    from parts.words import WORD

    class Speaker(Agent):
        name = "speaker"
        description = "Says a word"
        version = "0.1.0"

        async def startup(self, ctx):
            Path(__file__).with_name("hooks.txt").open("a").write(f"up {WORD}\\n")

        async def shutdown(self, ctx):
            Path(__file__).with_name("hooks.txt").open("a").write(f"down {WORD}\\n")

        @skill()
        async def SKILL(self, ctx: RunContext) -> str:
            return WORD

        @skill()
        async def slow(self, ctx: RunContext) -> str:
            await ctx.emit_progress("begun")
            while not Path(__file__).with_name("go").exists():
                await asyncio.sleep(0.01)
            return WORD
"""


class Project:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))

    def agent(self, skill: str = "say", more: str = "") -> None:
        self.write("speaker.py", AGENT.replace("SKILL", skill) + textwrap.indent(more, " " * 8))

    def word(self, word: str) -> None:
        self.write("parts/words.py", f"WORD = {word!r}")

    def again(self) -> dict[str, Any]:
        return reload_declaration("speaker:Speaker", self.folder)[1].card

    def wrong(self) -> ProjectError:
        with pytest.raises(ProjectError) as caught:
            self.again()
        return caught.value


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path.resolve())
    made.word("one")
    made.agent()
    before, path = dict(sys.modules), list(sys.path)
    yield made
    sys.path[:] = path
    for name in set(sys.modules) - set(before):
        if name.split(".")[0] in ("speaker", "parts", "more"):
            del sys.modules[name]


def test_changed_modules_are_loaded_and_those_that_are_gone_are_forgotten(project: Project) -> None:
    load_declaration("speaker:Speaker", project.folder)
    packages = {name: id(sys.modules[name]) for name in ("pydantic", "svc", "svc.agent", "json")}
    # Within a second of the first, and as long: the file is what counts.
    project.word("two")
    project.agent("tell")
    assert [skill["id"] for skill in project.again()["skills"]] == ["tell", "slow"]
    assert sys.modules["parts.words"].WORD == "two"
    assert {name: id(sys.modules[name]) for name in packages} == packages
    os.rename(project.folder / "parts", project.folder / "more")
    assert "parts" in str(project.wrong())
    project.write("speaker.py", AGENT.replace("SKILL", "say").replace("parts.words", "more.words"))
    project.again()
    assert "parts.words" not in sys.modules
    assert "parts" not in sys.modules
    assert sys.modules["more.words"].WORD == "two"


def test_what_is_wrong_has_file_and_line_and_leaves_what_was_loaded(project: Project) -> None:
    cls = load_agent("speaker:Speaker", project.folder)
    modules = {name: sys.modules[name] for name in ("speaker", "parts", "parts.words")}

    project.write("parts/words.py", "WORD = 'two'\nWORD = = 3\n")
    wrong = project.wrong()
    assert (wrong.problems[0].file, wrong.problems[0].line) == (str(project.folder / "parts/words.py"), 2)
    assert not wrong.of_process
    project.write("parts/words.py", "\n\nWORD = missing\n")
    wrong = project.wrong()
    assert (wrong.problems[0].line, wrong.of_process) == (3, False)
    assert "NameError" in wrong.problems[0].message
    project.write("parts/words.py", "import no_such_package\nWORD = 1\n")
    assert (project.wrong().problems[0].line, project.wrong().of_process) == (1, False)
    # What the process may be the cause of, another one is to be asked about.
    project.write("parts/words.py", "WORD = 1\nraise OSError('the port is taken')\n")
    assert (project.wrong().problems[0].line, project.wrong().of_process) == (2, True)
    project.word("two")
    project.agent(more="\n@skill()\ndef blocks(self, ctx: RunContext) -> str: ...\n")
    assert "async" in str(project.wrong())

    assert {name: sys.modules[name] for name in modules} == modules
    assert sys.modules["speaker"].Speaker is cls


def test_packages_stay_wherever_they_are(project: Project) -> None:
    """The environment is often in the project's folder."""
    site = project.folder / ".venv/lib/python3/site-packages"
    site.mkdir(parents=True)
    (site / "more.py").write_text("COUNT = []")
    sys.path.append(str(site))
    project.agent(more="\nimport more\nmore.COUNT.append(1)\n")
    load_declaration("speaker:Speaker", project.folder)
    project.again()
    assert sys.modules["more"].COUNT == [1, 1]


class Runtime:
    """One connection to the worker, as the sidecar speaks."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def say(self, **frame: Any) -> None:
        self._writer.write(json.dumps(frame).encode() + b"\n")

    async def invoke(self, run: int, skill: str) -> None:
        told: dict[str, Any] = {"run_id": "r", "request_id": "q", "auth": {}, "deadline": None, "grant": None, "setup": {}}
        await self.say(t="invoke", id=run, skill=skill, args={}, run=told)

    async def hear(self, *kinds: str) -> dict[str, Any]:
        """Empty: the worker gave the connection up."""
        while line := await self._reader.readline():
            frame: dict[str, Any] = json.loads(line)
            if frame["t"] in kinds:
                return frame
        return {}

    async def result(self, run: int, skill: str) -> Any:
        await self.invoke(run, skill)
        frame = await self.hear("result", "error")
        return frame.get("value", frame.get("error", {}).get("code"))


class Worker:
    def __init__(self, project: Project, reloads: bool) -> None:
        cls, _ = load_declaration("speaker:Speaker", project.folder)
        reload = reloading("speaker:Speaker", str(project.folder)) if reloads else None
        self.loads = Loads(AgentHost(cls), reload)

    async def __aenter__(self) -> Worker:
        def opened(connection: WorkerConnection) -> WorkerSession:
            return WorkerSession(self.loads.serving(), connection, lambda _: None, self.loads)

        self._server = await asyncio.get_running_loop().create_server(lambda: WorkerConnection(opened), "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def connect(self) -> tuple[Runtime, dict[str, Any]]:
        reader, writer = await asyncio.open_connection(*self._server.sockets[0].getsockname()[:2])
        writer.write(b"GET /worker HTTP/1.1\r\nUpgrade: svc-worker/1\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        runtime = Runtime(reader, writer)
        return runtime, await runtime.hear("hello")


def test_old_and_new_code_each_serve_their_connection_and_the_worker_ends_with_the_last(project: Project) -> None:
    async def main() -> None:
        async with Worker(project, reloads=True) as worker:
            old, hello = await worker.connect()
            assert hello["reloads"] is True
            await old.say(t="start", config={}, secrets={})
            await old.hear("started")
            await old.invoke(1, "slow")
            await old.hear("event")
            project.word("two")
            project.agent("tell")
            await old.say(t="reload", id=2)
            told = await old.hear("reloaded")
            assert [skill["id"] for skill in told["dsl"]["card"]["skills"]] == ["tell", "slow"]
            new, hello = await worker.connect()
            assert hello["skills"] == ["tell", "slow"]
            await new.say(t="start", config={}, secrets={})
            await new.hear("started")
            assert [await new.result(1, "tell"), await new.result(2, "say")] == ["two", "skill_not_found"]
            project.write("go", "")
            # The run began in the previous code, and ends in it.
            assert (await old.hear("result"))["value"] == "one"
            await old.say(t="shutdown")
            await old.hear("stopped")
            assert not worker.loads.over.is_set()
            assert await new.result(3, "tell") == "two"

            project.write("speaker.py", "class Speaker(:")
            await new.say(t="reload", id=4)
            told = await new.hear("not_reloaded")
            assert told["problems"][0]["line"] == 1
            assert told["of_process"] is False
            assert await new.result(5, "tell") == "two"
            await new.say(t="shutdown")
            await new.hear("stopped")
            await asyncio.wait_for(worker.loads.over.wait(), 5)
        assert (project.folder / "hooks.txt").read_text().split("\n")[:-1] == ["up one", "up two", "down one", "down two"]

    asyncio.run(asyncio.wait_for(main(), 30))


def test_code_that_nobody_connected_to_is_let_go_with_the_next(project: Project) -> None:
    async def main() -> None:
        async with Worker(project, reloads=True) as worker:
            runtime, _ = await worker.connect()
            for run in range(1, 4):
                project.word(f"word {run}")
                await runtime.say(t="reload", id=run)
                await runtime.hear("reloaded")
            assert len(worker.loads.hosts) == 2

    asyncio.run(asyncio.wait_for(main(), 30))


def test_a_worker_that_was_not_started_for_it_has_no_such_door(project: Project) -> None:
    async def main() -> None:
        async with Worker(project, reloads=False) as worker:
            runtime, hello = await worker.connect()
            assert "reloads" not in hello
            project.word("two")
            await runtime.say(t="reload", id=1)
            assert await runtime.hear("reloaded", "not_reloaded") == {}
            assert sys.modules["parts.words"].WORD == "one"

    asyncio.run(asyncio.wait_for(main(), 30))

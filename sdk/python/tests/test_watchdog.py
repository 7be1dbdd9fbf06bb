"""A handler that blocks is ended at its deadline; the loop, its other calls and what waits in it go on."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

AGENTS = Path(__file__).parent / "agents"
SECONDS = 0.5


class Worker:
    """A worker in its own process, and a runtime's side of the connection to it."""

    def __init__(self, folder: Path) -> None:
        path = self.path = str(folder / "w.sock")
        command = [sys.executable, "-m", "svc", "worker", "blocker:Blocker", "--listen", f"unix:{path}"]
        self.process = subprocess.Popen(command, cwd=AGENTS)
        self.side = socket.socket(socket.AF_UNIX)
        while True:
            try:
                self.side.connect(path)
                break
            except OSError:
                assert self.process.poll() is None
                time.sleep(0.05)
        self.side.sendall(b"GET /worker HTTP/1.1\r\nUpgrade: svc-worker/1\r\n\r\n")
        self.buffer = b""
        self.frames: list[dict[str, Any]] = []
        self.runs = 0
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.side.recv(65536)
        self.buffer = self.buffer.partition(b"\r\n\r\n")[2]
        self.send({"t": "start", "config": {}, "secrets": {}})

    def send(self, frame: dict[str, Any]) -> None:
        self.side.sendall(json.dumps(frame).encode() + b"\n")

    def begin(self, skill: str, seconds: float = SECONDS) -> int:
        self.runs += 1
        deadline = (time.time() + seconds) * 1000
        run = {"run_id": f"run_{self.runs}", "request_id": "q", "auth": {}, "deadline": deadline, "grant": None, "setup": {}}
        self.send({"t": "invoke", "id": self.runs, "skill": skill, "args": {}, "run": run})
        return self.runs

    def wait(self, of: int | None, *kinds: str) -> dict[str, Any]:
        until = time.monotonic() + 20
        while True:
            for frame in self.frames:
                if frame.get("id") == of and frame["t"] in kinds:
                    self.frames.remove(frame)
                    return frame
            assert time.monotonic() < until, f"nothing came: {self.frames}"
            if select.select([self.side], [], [], 0.1)[0]:
                self.buffer += self.side.recv(65536)
                *lines, self.buffer = self.buffer.split(b"\n")
                self.frames += [json.loads(line) for line in lines]

    def ends(self, skill: str) -> dict[str, Any]:
        return self.wait(self.begin(skill), "result", "error")

    def log(self) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame["t"] == "log"]


@pytest.fixture(params=["asyncio", "uvloop"])
def worker(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    if request.param == "uvloop":
        pytest.importorskip("uvloop")
    monkeypatch.setenv("SVC_WORKER_LOOP", request.param)
    made = Worker(tmp_path)
    yield made
    made.side.close()
    os.kill(made.process.pid, signal.SIGKILL)
    made.process.wait()


@pytest.mark.parametrize("skill", ["spins", "stubborn", "after_await", "sleeps", "regex", "in_a_task"])
def test_a_handler_that_blocks_is_ended_and_nothing_else_is(worker: Worker, skill: str) -> None:
    waiting = worker.begin("waits", 60)
    asked = worker.wait(waiting, "call")
    # Its own time stands while it waits.
    ended = worker.ends(skill)
    assert ended["error"]["code"] == "skill_timeout"
    assert worker.ends("quick")["value"] == "quick"
    worker.send({"t": "reply", "id": waiting, "call": asked["call"], "value": "yes", "deadline": (time.time() + 60) * 1000})
    assert worker.wait(waiting, "result")["value"] == ["local", "yes"]
    told = [line for line in worker.log() if (line.get("fields") or {}).get("code") == "skill_timeout"]
    assert re.search(r"blocker\.py", told[0]["fields"]["stack"])


@pytest.mark.parametrize("skill", ["checks", "ignores_checks"])
def test_code_that_calls_check_cancelled_receives_the_error_there(worker: Worker, skill: str) -> None:
    run = worker.begin(skill)
    # The runtime's cancel arrives after the watchdog saw the deadline pass.
    time.sleep(SECONDS + 0.4)
    worker.send({"t": "cancel", "id": run, "error": {"code": "skill_timeout", "message": "", "status": 504}})
    assert worker.wait(run, "error")["error"]["code"] == "skill_timeout"
    assert worker.ends("quick")["value"] == "quick"
    messages = [line["message"] for line in worker.log()]
    assert ("received" in messages) == (skill == "checks")
    assert any("blocked its worker" in message for message in messages) == (skill == "ignores_checks")


def test_a_wait_outlasts_the_deadline_it_began_with(worker: Worker) -> None:
    waiting = worker.begin("waits_then_spins", SECONDS)
    asked = worker.wait(waiting, "call")
    time.sleep(2 * SECONDS)
    worker.send({"t": "reply", "id": waiting, "call": asked["call"], "value": "yes", "deadline": (time.time() + SECONDS) * 1000})
    assert worker.wait(waiting, "error")["error"]["code"] == "skill_timeout"
    assert worker.wait(waiting, "event")["payload"] == {"message": "went on"}


def test_a_wait_moves_the_deadline_that_the_run_sees(worker: Worker) -> None:
    waiting = worker.begin("tells_its_deadline", 60)
    asked = worker.wait(waiting, "call")
    moved = (time.time() + 600) * 1000
    worker.send({"t": "reply", "id": waiting, "call": asked["call"], "value": "yes", "deadline": moved})
    before, after, left = worker.wait(waiting, "result")["value"]
    assert after == moved / 1000 > before
    assert 60 < left <= 600


def watched(worker: Worker) -> socket.socket:
    hello = worker.wait(None, "hello")
    side = socket.socket(socket.AF_UNIX)
    side.connect(worker.path)
    side.sendall(f"GET /watch?of={hello['watch']} HTTP/1.1\r\nUpgrade: svc-watch/1\r\n\r\n".encode())
    assert side.recv(65536).startswith(b"HTTP/1.1 101 ")
    return side


def asked(side: socket.socket, **frame: Any) -> dict[str, Any]:
    side.sendall(json.dumps({"id": 1, **frame}).encode() + b"\n")
    with side.makefile("rb") as lines:
        answer: dict[str, Any] = json.loads(lines.readline())
    return answer


def test_a_second_connection_says_what_blocks_and_takes_back_what_has_not_begun(worker: Worker) -> None:
    with watched(worker) as side:
        blocks = worker.begin("spins", 4)
        waits = worker.begin("quick", 60)
        while (state := asked(side, t="look", stack=True))["blocked_ms"] < 500:
            assert state["t"] == "state"
        assert state["run"] == blocks
        assert "blocker.py" in state["stack"]
        assert asked(side, t="take", run=blocks)["ok"] is False
        assert asked(side, t="take", run=waits)["ok"] is True
        assert worker.wait(blocks, "error")["error"]["code"] == "skill_timeout"
        assert worker.ends("quick")["value"] == "quick"
        assert not [frame for frame in worker.frames if frame.get("id") == waits]
        assert asked(side, t="take", run=worker.runs)["ok"] is False
        assert asked(side, t="look", stack=False)["blocked_ms"] < 500


def test_work_within_its_time_is_left_alone_though_another_is_out_of_time(worker: Worker) -> None:
    worker.begin("hangs", 0.2)
    assert worker.wait(worker.begin("works", 60), "result", "error")["value"] == "worked"


def test_threads_that_hang_do_not_use_up_the_loops_threads(worker: Worker) -> None:
    error = {"code": "skill_timeout", "message": "", "status": 504}
    runs = [worker.begin("sleeps_in_a_thread") for _ in range(40)]
    time.sleep(SECONDS)
    for run in runs:
        worker.send({"t": "cancel", "id": run, "error": error})
    for run in runs:
        assert worker.wait(run, "error")["error"]["code"] == "skill_timeout"
    assert worker.wait(worker.begin("in_a_thread", 60), "result", "error")["value"] == "threaded"


def test_a_thread_that_runs_python_is_ended(worker: Worker) -> None:
    run = worker.begin("spins_in_a_thread")
    assert worker.wait(run, "result", "error")["t"] == "error"

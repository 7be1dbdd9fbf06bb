"""The credential of the run at work goes to the model gateway, and nowhere else."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable

import aiohttp
import httpx
import pytest
import requests

from svc.worker import model_requests

from .http_server import Asked, answer, serving

LATE = """
import asyncio, contextvars, os, sys
from svc.worker import model_requests
assert "httpx" not in sys.modules
model_requests.begin("late")
import httpx
print(httpx.get(os.environ["SVC_CP_URL"] + "/llm/openai/v1/models").text)
"""


def test_each_run_sends_its_own_also_from_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, str | None, str | None]] = []

    def respond(asked: Asked) -> bytes:
        heard.append((asked.path, asked.headers.get("x-own"), asked.headers.get(model_requests.HEADER)))
        return answer("{}")

    async def run(url: str, token: str) -> None:
        model_requests.begin(token)
        own = {"x-own": token}
        async with httpx.AsyncClient() as client:
            await asyncio.sleep(0.01)
            await client.get(f"{url}/llm/openai/v1/models", headers={**own, model_requests.HEADER: "of another"})
        await asyncio.to_thread(httpx.post, f"{url}/llm/anthropic/v1/messages", headers=own, json={})
        async with aiohttp.ClientSession() as session, session.get(f"{url}/llm/aiohttp", headers=own) as answered:
            assert answered.status == 200
        await asyncio.to_thread(requests.get, f"{url}/llm/requests", headers=own, timeout=30)

    async def story() -> None:
        async with serving(respond) as url:
            monkeypatch.setenv("SVC_CP_URL", url)
            await asyncio.gather(*(asyncio.create_task(run(url, token)) for token in ("one", "two")))
            async with httpx.AsyncClient() as client:
                await client.get(f"{url}/llm/openai/v1/models")

    asyncio.run(story())
    paths = ("/llm/aiohttp", "/llm/anthropic/v1/messages", "/llm/openai/v1/models", "/llm/requests")
    assert sorted(heard[:8]) == [(path, run, run) for path in paths for run in ("one", "two")]
    assert heard[8:] == [("/llm/openai/v1/models", None, None)]


async def with_httpx(urls: list[str]) -> None:
    async with httpx.AsyncClient(follow_redirects=True) as client:
        for url in urls:
            await client.get(url)


async def with_requests(urls: list[str]) -> None:
    for url in urls:
        await asyncio.to_thread(requests.get, url, timeout=30)


async def with_aiohttp(urls: list[str]) -> None:
    async with aiohttp.ClientSession() as session:
        for url in urls:
            async with session.get(url):
                pass


@pytest.mark.parametrize("get", [with_httpx, with_requests, with_aiohttp])
def test_no_other_place_hears_it(monkeypatch: pytest.MonkeyPatch, get: Callable[[list[str]], Awaitable[None]]) -> None:
    heard: list[tuple[str, str | None]] = []

    async def story() -> None:
        def respond(asked: Asked) -> bytes:
            heard.append((asked.path, asked.headers.get(model_requests.HEADER)))
            elsewhere = f"http://localhost:{own.rpartition(':')[2]}/llm/moved"
            return answer("", 307, location=elsewhere) if asked.path == "/llm/here" else answer("{}")

        async with serving(respond) as own:
            monkeypatch.setenv("SVC_CP_URL", own)
            model_requests.begin("secret")
            await get([own + path for path in ("/v1/me", "/llm-not/x", "/llm/../v1/me", "/llm/here")])

    asyncio.run(asyncio.wait_for(story(), 30))
    assert heard == [("/v1/me", None), ("/llm-not/x", None), ("/v1/me", None), ("/llm/here", "secret"), ("/llm/moved", None)]


def test_httpx_may_be_imported_later() -> None:
    async def story() -> str:
        async with serving(lambda asked: answer(asked.headers.get(model_requests.HEADER, "nothing"))) as url:
            child = await asyncio.create_subprocess_exec(sys.executable, "-c", LATE, env={"SVC_CP_URL": url}, stdout=subprocess.PIPE)
            said, _ = await child.communicate()
            return said.decode().strip()

    assert asyncio.run(asyncio.wait_for(story(), 60)) == "late"

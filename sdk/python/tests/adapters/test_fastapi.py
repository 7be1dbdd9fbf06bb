import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fastapi import FastAPI, Form, Header, HTTPException, Request, UploadFile
from fastapi.responses import PlainTextResponse, StreamingResponse
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from svc import Agent, SkillInputError, SkillInvocationError
from svc.adapters.asgi import ask, ask_sync, from_asgi
from svc.testing import TestAgent, TestResult

from .support import LOOP, cancelled

app = FastAPI()
began, stopped = asyncio.Event(), asyncio.Event()


class Item(BaseModel):
    name: str
    price: float = 1.0
    parent: "Item | None" = None


@app.get("/items/{item_id}", tags=["shop"])
async def read_item(item_id: int, q: str | None = None, x_kind: str = Header("a")) -> dict[str, Any]:
    """Reads an item."""
    if item_id == 404:
        raise HTTPException(404, "there is no such item")
    return {"id": item_id, "q": q, "kind": x_kind}


@app.post("/items", status_code=201)
def create_item(item: Item) -> Item:
    return item


@app.get("/words/{word}")
async def word(word: str) -> str:
    return word


@app.get("/words/{word}/secret")
async def secret(word: str) -> str:
    return "never"


@app.put("/numbers")
async def put_numbers(numbers: list[int]) -> int:
    return sum(numbers)


@app.post("/form")
async def send_form(text: str = Form(), times: int = Form(1)) -> str:
    return text * times


@app.post("/files")
async def send_file(file: UploadFile) -> str:
    return str(file.filename)


@app.get("/text")
async def text() -> StreamingResponse:
    async def words() -> AsyncIterator[bytes]:
        for piece in ("Hel", "lo, w", "ö"):
            for byte in piece.encode():
                yield bytes([byte])

    return StreamingResponse(words(), media_type="text/plain")


@app.get("/events")
async def events() -> StreamingResponse:
    return StreamingResponse(iter(["data: Hel\n", '\ndata: lo\n\ndata: {"n": 1}\n\n']), media_type="text/event-stream")


@app.get("/endless")
async def endless() -> StreamingResponse:
    async def ticks() -> AsyncIterator[str]:
        try:
            while True:
                yield "tick "
                began.set()
                await asyncio.sleep(0)
        finally:
            stopped.set()

    return StreamingResponse(ticks(), media_type="text/plain")


@app.post("/asks")
async def asks() -> str:
    return await ask("Colour?")


@app.post("/asks-sync")
def asks_in_thread() -> str:
    return ask_sync("Colour?")


@app.get("/breaks")
async def breaks() -> str:
    raise KeyError("inner")


@app.delete("/nothing", status_code=204)
async def nothing() -> None: ...


def adapted(served: Any = app, **more: Any) -> type[Agent]:
    return from_asgi(served, name="shop", description="Sells.", **more)


def call(skill: str, agent: type[Agent] | None = None, answer: Any = None, /, **args: Any) -> TestResult:
    async def once() -> TestResult:
        tried = TestAgent(agent or adapted(), answer=answer)
        try:
            return await tried.invoke(skill, **args)
        finally:
            await tried.shutdown()

    return LOOP.run(once())


def test_operations_are_skills_named_by_their_functions() -> None:
    skills = {skill["id"]: skill for skill in TestAgent(adapted()).card["skills"]}
    assert set(skills) == {
        "read_item", "create_item", "word", "secret", "put_numbers", "send_form", "text", "events", "endless", "asks", "asks_in_thread",
        "breaks", "nothing",
    }  # fmt: skip
    read = skills["read_item"]
    assert (read["description"], read["tags"], read["input_schema"]["required"]) == ("Reads an item.", ["shop"], ["item_id"])
    assert read["input_schema"]["properties"]["item_id"]["type"] == "integer"
    assert set(skills["create_item"]["input_schema"]["properties"]) == {"name", "price", "parent"}
    assert skills["create_item"]["input_schema"]["required"] == ["name"]
    assert skills["create_item"]["output_schema"]["properties"]["name"]["type"] == "string"
    assert "$ref" not in json.dumps(skills)


def test_arguments_go_where_they_belong() -> None:
    assert call("read_item", item_id=7, q="a b&c=ö", x_kind="b\r\nx-evil: 1").result == {"id": 7, "q": "a b&c=ö", "kind": "b  x-evil: 1"}
    assert call("read_item", item_id=7).result == {"id": 7, "q": None, "kind": "a"}
    assert call("create_item", name="tea", parent={"name": "drink"}).result["parent"]["name"] == "drink"
    assert call("put_numbers", body=[1, 2, 3]).result == 6
    assert call("send_form", text="ab&", times=2).result == "ab&ab&"
    assert call("word", word="a b%2f?").result == "a b%2f?"
    assert call("nothing").result is None


def test_an_argument_does_not_reach_another_operation() -> None:
    for word in ("a/secret", "", ".."):
        with pytest.raises(SkillInputError):
            call("word", word=word)
    assert [skill["id"] for skill in TestAgent(adapted(only=["word"])).card["skills"]] == ["word"]
    with pytest.raises(ValueError, match="no operation 'wrod'"):
        adapted(only=["wrod"])


def test_a_refusal_is_the_skills_error_with_its_status() -> None:
    with pytest.raises(SkillInvocationError, match="no such item") as missing:
        call("read_item", item_id=404)
    assert missing.value.status == 404
    with pytest.raises(SkillInputError) as wrong:
        call("read_item", item_id="seven")
    assert (wrong.value.status, wrong.value.issues[0]["path"]) == (422, ["item_id"])
    with pytest.raises(SkillInvocationError, match="KeyError"):
        call("breaks")


def test_what_is_streamed_is_reported_as_it_comes() -> None:
    done = call("text")
    assert done.result == "Hello, wö"
    assert [event.payload["text"] for event in done.events] == list("Hello, wö")
    heard = call("events")
    assert heard.result == ["Hel", "lo", {"n": 1}]
    assert [event.kind for event in heard.events] == ["text_delta", "text_delta", "custom"]


def test_cancelling_the_run_ends_the_stream() -> None:
    async def main() -> None:
        tried = TestAgent(adapted())
        await cancelled(tried.start("endless", {}), began)
        await asyncio.wait_for(stopped.wait(), 30)
        await tried.shutdown()

    LOOP.run(main())


def test_routes_may_ask() -> None:
    for skill in ("asks", "asks_in_thread"):
        done = call(skill, adapted(), "red")
        assert (done.result, [event.kind for event in done.events]) == ("red", ["question"])


def test_the_applications_own_start_and_end() -> None:
    seen: list[str] = []

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[dict[str, str]]:
        seen.append("start")
        yield {"db": "open"}
        seen.append("end")

    with_state = FastAPI(lifespan=lifespan)

    @with_state.get("/db")
    async def db(request: Request) -> str:
        return str(request.state.db)

    async def main() -> None:
        agent = TestAgent(adapted(with_state))
        assert [(await agent.invoke("db")).result for _ in range(2)] == ["open", "open"]
        assert seen == ["start"]
        await agent.shutdown()

    LOOP.run(main())
    assert seen == ["start", "end"]


def test_other_applications_serve_or_are_given_a_description() -> None:
    document = {"openapi": "3.1.0", "paths": {"/hi": {"get": {"operationId": "hi", "responses": {"200": {"description": "Said."}}}}}}
    routes = [
        Route("/hi", lambda _: PlainTextResponse("Hello")),
        Route("/openapi.json", lambda _: JSONResponse(document)),
    ]
    for agent in (adapted(Starlette(routes=routes)), adapted(Starlette(routes=routes[:1]), openapi=document)):
        assert call("hi", agent).result == "Hello"

"""ctx.llm in tests: by a script, and on both wires against a provider on this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pydantic import BaseModel

from svc import Agent, CancelledByCaller, LlmEmbeddings, LlmMessage, LlmResult, LlmTool, ModelAnswerInvalid, ModelFailed, RunContext, skill
from svc.errors import BadRequest, SkillInvocationError
from svc.testing import LlmScript, ScriptedRequest, TestAgent

from .http_server import Asked, answer, serving

Work = Callable[[RunContext], Awaitable[Any]]


class Order(BaseModel):
    item: str
    cups: int


class Asker(Agent):
    name = "asker"
    description = "Asks models."
    version = "1.0.0"
    work: Work

    @skill()
    async def go(self, ctx: RunContext) -> Any:
        return await self.work(ctx)


def agent_with(work: Work, llm: LlmScript | None = None) -> TestAgent[Asker]:
    agent = TestAgent(Asker, llm=llm)
    agent.agent.work = work
    return agent


def in_skill(work: Work, llm: LlmScript | None = None) -> Any:
    return asyncio.run(agent_with(work, llm).invoke("go")).result


def test_a_script_answers_in_turn_in_pieces_with_tools_and_with_errors() -> None:
    async def work(ctx: RunContext) -> Any:
        stream = ctx.llm.stream("1")
        pieces = [delta async for delta in stream]
        assert (await stream.result()).text == "one two"
        asked = await ctx.llm.generate("2", tools=[{"name": "look_up"}])
        codes = []
        for _ in range(2):
            with pytest.raises(ModelFailed) as failed:
                await ctx.llm.generate("3")
            codes.append(failed.value.model_code)
        return [pieces, asked.finish_reason, [call.model_dump() for call in asked.tool_calls], codes]

    call = {"name": "look_up", "arguments": {"city": "Rome"}}
    script: LlmScript = ["one two", {"tool_calls": [call]}, ModelFailed("no", model_code="busy")]
    assert in_skill(work, script) == [["one ", "two"], "tool_calls", [{"id": "call_1", **call}], ["busy", "model_script_ended"]]


def test_an_object_is_asked_once_more_then_the_places_are_said() -> None:
    seen: list[ScriptedRequest] = []

    def says(request: ScriptedRequest) -> Any:
        seen.append(request)
        return {"json": {"item": "tea"}} if len(seen) == 1 else '```json\n{"item":"tea","cups":2}\n```'

    async def work(ctx: RunContext) -> Any:
        return (await ctx.llm.object(Order, "two teas", system="Be kind.")).model_dump()

    assert in_skill(work, says) == {"item": "tea", "cups": 2}
    assert [message["content"] for message in seen[1].messages] == [
        "Be kind.",
        "two teas",
        '{"item": "tea"}',
        "This does not fit the schema: cups: Field required. Answer again, with JSON that fits it.",
    ]
    assert seen[0].schema is not None
    assert seen[0].schema["required"] == ["item", "cups"]
    with pytest.raises(ModelAnswerInvalid) as failed:
        in_skill(work, ["no", {"json": {"item": "tea"}}])
    assert failed.value.issues == [{"path": ["cups"], "code": "missing", "message": "Field required"}]


def test_an_object_may_be_a_list_or_a_json_schema() -> None:
    async def work(ctx: RunContext) -> Any:
        numbers = await ctx.llm.object(list[int], "count")
        orders = await ctx.llm.object(list[Order], "order")
        return [numbers, [order.cups for order in orders], await ctx.llm.object({"type": "array"}, "count")]

    assert in_skill(work, [{"json": {"value": [1, 2]}}, {"json": {"value": [{"item": "tea", "cups": 3}]}}, "[3]"]) == [[1, 2], [3], [3]]


def test_what_cannot_be_asked_is_refused() -> None:
    async def work(ctx: RunContext) -> None:
        wrong: tuple[dict[str, Any], ...] = ({"schema": {"type": "object"}, "tools": [{"name": "x"}]}, {"schema": {"type": "array"}})
        for options in wrong:
            with pytest.raises(BadRequest):
                await ctx.llm.generate("hi", **options)
        with pytest.raises(BadRequest):
            await ctx.llm.generate([])

    in_skill(work, [])


def test_a_stream_that_is_left_or_cancelled_has_no_result() -> None:
    async def leaves(ctx: RunContext) -> str:
        stream = ctx.llm.stream("hi")
        async for _ in stream:
            break
        with pytest.raises(ModelFailed) as failed:
            await stream.result()
        return failed.value.model_code

    assert in_skill(leaves, ["one two three"]) == "model_stream_left"

    async def story() -> None:
        reading = asyncio.Event()

        async def waits(ctx: RunContext) -> None:
            async for _ in ctx.llm.stream("hi"):
                reading.set()
                await asyncio.Event().wait()

        run = agent_with(waits, ["one two three"]).start("go", {})
        await reading.wait()
        run.cancel()
        with pytest.raises(CancelledByCaller):
            await run.result()

    asyncio.run(story())


def events(*pieces: dict[str, Any]) -> str:
    return "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces)


CALL = {"index": 0, "id": "call_1", "function": {"name": "look_up", "arguments": '{"city":"Łódź"}'}}
CHAT = events(
    {"model": "m-1", "choices": [{"delta": {"content": "Hel"}}]},
    {"model": "m-1", "choices": [{"delta": {"content": "lo", "tool_calls": [CALL]}}]},
    {"model": "m-1", "choices": [{"delta": {}, "finish_reason": "tool_calls"}]},
    {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}},
)
USE = {"type": "tool_use", "id": "call_1", "name": "look_up", "input": {}}
MESSAGES = events(
    {
        "type": "message_start",
        "message": {"model": "claude-1", "usage": {"input_tokens": 5, "cache_read_input_tokens": 4, "output_tokens": 1}},
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo"}},
    {"type": "content_block_start", "index": 1, "content_block": USE},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"city":"Łódź"}'}},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}},
    {"type": "message_stop"},
)
TOOLS: list[LlmTool] = [{"name": "look_up", "description": "A city.", "input_schema": {"type": "object"}}]


@pytest.mark.parametrize(("model", "said"), [("m-1", CHAT), ("claude-1", MESSAGES)])
def test_both_wires_are_read_with_the_developers_key(monkeypatch: pytest.MonkeyPatch, model: str, said: str) -> None:
    heard: list[Asked] = []

    def respond(asked: Asked) -> bytes:
        heard.append(asked)
        return answer(said, content_type="text/event-stream")

    async def work(ctx: RunContext) -> Any:
        prompt: list[LlmMessage] = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Where?"}]
        stream = ctx.llm.stream(prompt, model=model, tools=TOOLS, max_tokens=50)
        return [[delta async for delta in stream], (await stream.result()).model_dump()]

    async def story() -> Any:
        async with serving(respond) as url:
            monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
            monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-own")
            monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-own")
            return (await agent_with(work).invoke("go")).result

    pieces, whole = asyncio.run(story())
    assert pieces == ["Hel", "lo"]
    assert LlmResult.model_validate(whole).tool_calls[0].arguments == {"city": "Łódź"}
    assert whole["usage"] == {"input_tokens": 9, "cached_input_tokens": 4, "output_tokens": 3}
    assert (whole["text"], whole["finish_reason"], whole["model"]) == ("Hello", "tool_calls", model)
    body = json.loads(heard[0].body)
    assert heard[0].path == ("/v1/messages" if model == "claude-1" else "/v1/chat/completions")
    assert body["stream"] is True
    assert body["tools"][0].get("input_schema", body["tools"][0].get("function", {}).get("parameters")) == {"type": "object"}


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (answer(json.dumps({"error": {"message": "budget", "code": "llm_cap_reached"}}), 402), "llm_cap_reached"),
        (answer("no bread", 502), "model_refused"),
        (answer(events({"choices": [{"delta": {"content": "Hel"}}]})), "model_broke_off"),
        (answer("data: nonsense\n\n"), "model_unreachable"),
        (b"", "model_unreachable"),
    ],
)
def test_a_provider_that_fails_is_said_by_code(monkeypatch: pytest.MonkeyPatch, said: bytes, code: str) -> None:
    async def work(ctx: RunContext) -> None:
        await ctx.llm.stream("hi", model="m-1").result()

    async def story() -> None:
        async with serving(lambda _: said) as url:
            monkeypatch.setenv("OPENAI_BASE_URL", url)
            with pytest.raises(ModelFailed) as failed:
                await agent_with(work).invoke("go")
            assert failed.value.model_code == code

    asyncio.run(story())


def test_vectors_come_from_what_embeds_in_the_order_of_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(ctx: RunContext) -> LlmEmbeddings:
        return await ctx.llm.embed(["one", "two"])

    async def story() -> None:
        seen: list[Asked] = []
        said = [
            {
                "data": [{"index": 1, "embedding": [2, 0.5]}, {"index": 0, "embedding": [1, 1]}],
                "model": "m-3",
                "usage": {"prompt_tokens": 7},
            },
            {"data": [{"embedding": [1]}]},
            {"error": {"message": "budget", "code": "llm_cap_reached"}},
        ]

        def provider(asked: Asked) -> bytes:
            seen.append(asked)
            return answer(json.dumps(said[len(seen) - 1]))

        async with serving(provider) as url:
            monkeypatch.setenv("OPENAI_BASE_URL", url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-own")
            monkeypatch.delenv("SVC_EMBEDDING_MODEL", raising=False)
            with pytest.raises(ModelFailed, match="embedding"):
                await agent_with(work).invoke("go")
            monkeypatch.setenv("SVC_EMBEDDING_MODEL", "m-2")
            result = (await agent_with(work).invoke("go")).result
            assert result == {
                "vectors": [[1, 1], [2, 0.5]],
                "usage": {"input_tokens": 7, "cached_input_tokens": 0, "output_tokens": 0},
                "model": "m-3",
            }
            assert seen[0].path == "/embeddings"
            assert json.loads(seen[0].body) == {"model": "m-2", "input": ["one", "two"], "encoding_format": "float"}
            for code in ("model_bad_answer", "llm_cap_reached"):
                with pytest.raises(ModelFailed) as failed:
                    await agent_with(work).invoke("go")
                assert failed.value.model_code == code

    asyncio.run(story())


def test_a_script_gives_vectors_where_they_are_asked_for() -> None:
    async def work(ctx: RunContext) -> LlmEmbeddings:
        return await ctx.llm.embed(("a", "b"), model="m")

    def by_request(request: ScriptedRequest) -> dict[str, object]:
        assert request.texts is not None
        return {"vectors": [[len(text)] for text in request.texts]}

    assert in_skill(work, [{"vectors": [[1], [2]]}]) == in_skill(work, [{"vectors": [[1.0], [2.0]]}])
    assert in_skill(work, by_request)["vectors"] == [[1], [1]]
    for script in (["text"], [{"vectors": [[1]]}]):
        with pytest.raises(ModelFailed, match="vectors"):
            in_skill(work, script)

    async def none(ctx: RunContext) -> LlmEmbeddings:
        return await ctx.llm.embed([])

    with pytest.raises(BadRequest, match="1 to 256"):
        in_skill(none, [{"vectors": []}])

    async def text(ctx: RunContext) -> LlmEmbeddings:
        return await ctx.llm.embed("a text")

    with pytest.raises(SkillInvocationError, match="list of texts"):
        in_skill(text)


def test_without_model_or_key_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SVC_MODEL"):
        monkeypatch.delenv(name, raising=False)

    async def work(ctx: RunContext) -> None:
        await ctx.llm.generate("hi")

    with pytest.raises(ModelFailed, match="models"):
        in_skill(work)
    monkeypatch.setenv("SVC_MODEL", "m-1")
    with pytest.raises(ModelFailed, match="OPENAI_API_KEY"):
        in_skill(work)

"""An ASGI application (FastAPI, Starlette, Litestar …) as an agent: each operation of its own OpenAPI description is a skill."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..agent import Agent
from ..context import LifecycleContext, RunContext
from ..errors import SkillInputError, SkillInvocationError
from ..types import AgentEvent
from ._asgi_call import Answer, Lifespan, request
from ._openapi import Operation, operations_of
from ._run import ask, ask_sync, current_run
from ._shared import agent_class, brief, skill_of

__all__ = ["ask", "ask_sync", "current_run", "from_asgi"]


def from_asgi(
    app: Any,
    *,
    name: str,
    description: str,
    version: str = "0.1.0",
    openapi: Mapping[str, Any] | str | None = None,
    only: Iterable[str] | None = None,
    **attributes: Any,
) -> type[Agent]:
    """The application as it is, called in this process.

    ``openapi``: its description, or the path where it serves it; FastAPI is asked itself, others at ``/openapi.json``. ``only``: the
    skills to offer, where not all are to be. Skills are named by ``operationId``, FastAPI's by their functions. Parameters and the
    members of a JSON or form body are arguments; operations that take files are left out. The answer is the result; what is streamed
    is reported as it comes; a status from 400 on is the skill's error, of that status.
    """
    operations = operations_of(_description(app, openapi))
    wanted = None if only is None else set(only)
    if wanted is not None and not wanted <= {one.skill for one in operations}:
        raise ValueError(f"the application has no operation {sorted(wanted - {one.skill for one in operations})[0]!r}")
    lifespan = Lifespan(app)

    async def startup(self: Agent, ctx: LifecycleContext) -> None:
        await lifespan.start()

    async def shutdown(self: Agent, ctx: LifecycleContext) -> None:
        await lifespan.end()

    skills = [_skill(app, lifespan, one) for one in operations if wanted is None or one.skill in wanted]
    hooks = {"startup": startup, "shutdown": shutdown}
    return agent_class(name, description, version, skills, {**hooks, **attributes})


def _skill(app: Any, lifespan: Lifespan, operation: Operation) -> Any:
    async def work(ctx: RunContext[Any], values: dict[str, Any]) -> Any:
        async with request(app, lifespan.state, *operation.request(values)) as answer:
            if answer.status >= 400:
                raise _refusal(answer.status, await answer.text())
            if answer.status >= 300:
                raise SkillInvocationError(f"the application answered {answer.status} {answer.headers.get('location', '')}", status=502)
            return await _result(ctx, answer)

    return skill_of(operation.skill, operation.description, operation.takes, operation.gives, work, tags=operation.tags)


async def _result(ctx: RunContext[Any], answer: Answer) -> Any:
    kind = answer.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind == "text/event-stream":
        return [await _heard(ctx, data) async for data in answer.events()]
    if kind == "application/json" or kind.endswith("+json"):
        text = await answer.text()
        return json.loads(text) if text else None
    said: list[str] = []
    async for piece in answer.pieces():
        said.append(piece)
        await ctx.emit_text_delta(piece)
    return "".join(said) if said or kind else None


async def _heard(ctx: RunContext[Any], data: str) -> Any:
    try:
        value = json.loads(data)
    except ValueError:
        await ctx.emit_text_delta(data)
        return data
    await ctx.emit_event(AgentEvent(kind="custom", payload={"data": value}))
    return value


def _refusal(status: int, text: str) -> Exception:
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    detail = body.get("detail", body) if isinstance(body, dict) else body
    if status in (400, 422) and isinstance(detail, list):
        issues = [
            {"path": list(one.get("loc", ()))[1:], "code": str(one.get("type", "invalid")), "message": str(one.get("msg", ""))}
            for one in detail
            if isinstance(one, dict)
        ]
        return SkillInputError("the application refused the arguments", issues, status=status)
    message = brief(detail if detail not in (None, "") else text) or f"the application answered {status}"
    return SkillInputError(message, status=status) if status in (400, 422) else SkillInvocationError(message, status=status)


def _description(app: Any, openapi: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    if isinstance(openapi, Mapping):
        return openapi
    if openapi is None and callable(getattr(app, "openapi", None)):
        own: Mapping[str, Any] = app.openapi()
        return own
    return asyncio.run(_fetched(app, openapi or "/openapi.json"))


async def _fetched(app: Any, path: str) -> Mapping[str, Any]:
    async with request(app, {}, "GET", path, b"", [], b"") as answer:
        if answer.status != 200:
            raise ValueError(f"the application answers {answer.status} at {path}: give `openapi`")
        found: Mapping[str, Any] = json.loads(await answer.text())
        return found

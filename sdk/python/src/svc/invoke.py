"""One call of one skill, the same for the worker and for tests."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Mapping
from typing import Any

from .agent import Agent
from .context import RunContext
from .declare import BoundSkill
from .errors import SvcError

UNHANDLED = "unhandled_exception"
"""Code of what a handler raised without meaning it for the caller; the runtime tells the caller no more than that it failed."""


async def invoke(agent: Agent[Any], bound: BoundSkill, ctx: RunContext[Any], args: Mapping[str, Any]) -> Any:
    """The result as JSON. Raises SkillInputError, SkillOutputError, and what the handler raises."""
    return bound.result(await bound.handler(agent, ctx, **bound.arguments(args)))


def failure(error: BaseException) -> dict[str, Any]:
    """An exception as the error of a frame."""
    if isinstance(error, SvcError):
        told = error.to_wire()
        if error.__cause__ is not None:
            told["log"] = trace_of(error)
        return told
    if isinstance(error, asyncio.CancelledError):
        return {"code": "cancelled_by_caller", "message": "cancelled", "status": 499}
    name = type(error).__name__
    return {"code": UNHANDLED, "message": f"{name}: {error}"[:4000], "status": 500, "log": trace_of(error)}


def trace_of(error: BaseException) -> str:
    """The way to it, without our own first steps, which say nothing to the author."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None and trace.tb_frame.f_globals.get("__name__", "").startswith("svc."):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))[-32_000:]

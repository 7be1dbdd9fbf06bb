"""One call of one skill, the same for the worker and for tests."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from typing import Any

from .agent import Agent
from .context import RunContext
from .declare import BoundSkill
from .errors import SvcError
from .traces import described, trace_of

UNHANDLED = "unhandled_exception"
"""Code of an exception that is not meant for the caller; the runtime tells the caller only that the skill failed."""


async def settled(hook: Any) -> Any:
    """What a hook returns: one may be written without ``async``."""
    return await hook if inspect.isawaitable(hook) else hook


async def invoke(agent: Agent[Any], bound: BoundSkill, ctx: RunContext[Any], args: Mapping[str, Any]) -> Any:
    """The result as JSON. Raises SkillInputError, SkillOutputError, and what the handler raises."""
    return bound.result(await bound.handler(agent, ctx, **bound.arguments(args)))


def failure(error: BaseException) -> dict[str, Any]:
    """An exception as the error of a frame."""
    if isinstance(error, SvcError):
        wire = error.to_wire()
        if error.__cause__ is not None:
            wire["log"] = trace_of(error)
        return wire
    if isinstance(error, asyncio.CancelledError):
        return {"code": "cancelled_by_caller", "message": "cancelled", "status": 499}
    return {"code": UNHANDLED, "message": described(error)[:4000], "status": 500, "log": trace_of(error)}

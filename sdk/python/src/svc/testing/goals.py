"""Goals of a test's agent: ``ctx.meta_runs`` and ``ctx.track_call``."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ..errors import SkillInvocationError
from .core import BridgeCore


class Goals(BridgeCore):
    async def _meta_runs_create(self, **given: Any) -> dict[str, Any]:
        made = {"id": f"mrn_{uuid.uuid4()}", "version": 0, "created_at": _now(), **given}
        return self._changed(made, {})

    async def _meta_runs_get(self, id: str) -> dict[str, Any] | None:
        return self._agent.meta_runs.get(id)

    async def _meta_runs_list(self, state: str, limit: int, cursor: str | None) -> dict[str, Any]:
        every = [one for one in reversed(self._agent.meta_runs.values()) if state == "all" or one["ended_at"] is None]
        start = next((at + 1 for at, one in enumerate(every) if one["id"] == cursor), 0)
        items = every[start : start + limit]
        more = items and start + limit < len(every)
        return {"items": items, "next_cursor": items[-1]["id"] if more else None}

    async def _meta_runs_update(self, id: str, version: int, **change: Any) -> dict[str, Any] | None:
        before = self._agent.meta_runs.get(id)
        if before is None:
            raise SkillInvocationError(f"there is no meta-run {id}", status=404)
        if before["ended_at"] is not None:
            raise SkillInvocationError(f"it has ended ({before['status']}): start another one for the rest", status=409)
        return self._changed(before, change) if before["version"] == version else None

    def _changed(self, before: dict[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
        after = {**before, **{name: value for name, value in change.items() if value is not None}}
        over = after["status"] in ("succeeded", "failed", "cancelled")
        after |= {"version": before["version"] + 1, "updated_at": _now(), "ended_at": _now() if over else None}
        self._agent.meta_runs[after["id"]] = after
        return after

    async def _track_call(self, **call: Any) -> None:
        self._agent.tracked.append(call)


def _now() -> str:
    return datetime.now(UTC).isoformat()

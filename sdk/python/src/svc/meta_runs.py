"""What a coordinator agent stores about a goal of a user, so that it can continue after a restart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from .bridge import Bridge

MetaRunStatus = Literal["planning", "running", "waiting", "succeeded", "failed", "cancelled"]


class MetaRun(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="ignore")

    id: str
    goal: str
    criteria: tuple[str, ...]
    """When the goal is reached."""
    plan: dict[str, Any]
    progress: dict[str, Any]
    status: MetaRunStatus
    """The last three are final."""
    version: int
    """Grows by one with every change."""
    created_at: str
    updated_at: str
    ended_at: str | None


class MetaRunPage(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="ignore")

    items: tuple[MetaRun, ...]
    next_cursor: str | None


class MetaRuns:
    """Of this agent, for the person the run works for."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    async def create(
        self,
        goal: str,
        *,
        criteria: Sequence[str] = (),
        plan: Mapping[str, Any] | None = None,
        progress: Mapping[str, Any] | None = None,
        status: MetaRunStatus = "planning",
    ) -> MetaRun:
        """Plan and progress: any JSON object, at most 64 KiB each."""
        params = {
            "goal": goal,
            "criteria": list(criteria),
            "plan": dict(plan or {}),
            "progress": dict(progress or {}),
            "status": status,
        }
        return MetaRun.model_validate(await self._bridge.call("meta_runs.create", params))

    async def get(self, id: str) -> MetaRun | None:
        return _found(await self._bridge.call("meta_runs.get", {"id": id}))

    async def list(self, *, state: Literal["all", "open"] = "all", limit: int = 20, cursor: str | None = None) -> MetaRunPage:
        """Newest first; open: what has not ended."""
        params = {"state": state, "limit": limit, "cursor": cursor}
        return MetaRunPage.model_validate(await self._bridge.call("meta_runs.list", params))

    async def update(
        self,
        id: str,
        version: int,
        *,
        goal: str | None = None,
        criteria: Sequence[str] | None = None,
        plan: Mapping[str, Any] | None = None,
        progress: Mapping[str, Any] | None = None,
        status: MetaRunStatus | None = None,
    ) -> MetaRun | None:
        """Fields that are left out stay. None when it was changed since that version: read again, then decide."""
        params = {
            "id": id,
            "version": version,
            "goal": goal,
            "criteria": None if criteria is None else [*criteria],
            "plan": None if plan is None else dict(plan),
            "progress": None if progress is None else dict(progress),
            "status": status,
        }
        return _found(await self._bridge.call("meta_runs.update", params))


def _found(value: Any) -> MetaRun | None:
    return None if value is None else MetaRun.model_validate(value)

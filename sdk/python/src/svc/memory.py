"""What the agent remembers, between runs: of the person it works for, and what it keeps for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from .bridge import Bridge

_DEFAULT = "default"


class MemoryEntry(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="ignore")

    namespace: str
    key: str
    value: Any
    metadata: dict[str, Any]
    version: int
    """Grows by one with every write."""
    expires_at: str | None
    created_at: str
    updated_at: str
    score: float | None = None
    """Of a search: best first."""


class MemoryPage(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="ignore")

    items: tuple[MemoryEntry, ...]
    next_cursor: str | None


class Memory:
    def __init__(self, bridge: Bridge, *, shared: bool = False) -> None:
        self._bridge = bridge
        self._which: dict[str, Any] = {"shared": True} if shared else {}

    async def get(self, key: str, *, namespace: str = _DEFAULT) -> MemoryEntry | None:
        return _entry(await self._bridge.call("memory.get", {"key": key, "namespace": namespace, **self._which}))

    async def put(
        self,
        key: str,
        value: Any,
        *,
        namespace: str = _DEFAULT,
        metadata: Mapping[str, Any] | None = None,
        ttl_seconds: int | None = None,
        if_version: int | None = None,
    ) -> MemoryEntry | None:
        """Any JSON, at most 256 KiB. None when if_version (0: nothing there) does not hold: read again, then decide."""
        params = {
            "key": key,
            "value": value,
            "namespace": namespace,
            "metadata": dict(metadata or {}),
            "ttl_seconds": ttl_seconds,
            "if_version": if_version,
            **self._which,
        }
        return _entry(await self._bridge.call("memory.put", params))

    async def delete(self, key: str, *, namespace: str = _DEFAULT) -> bool:
        """False when nothing was there."""
        return bool(await self._bridge.call("memory.delete", {"key": key, "namespace": namespace, **self._which}))

    async def list(
        self, *, namespace: str | None = None, prefix: str | None = None, limit: int = 50, cursor: str | None = None
    ) -> MemoryPage:
        """By namespace and key."""
        params = {"namespace": namespace, "prefix": prefix, "limit": limit, "cursor": cursor, **self._which}
        return MemoryPage.model_validate(await self._bridge.call("memory.list", params))

    async def search(self, query: str, *, namespace: str | None = None, limit: int = 10) -> tuple[MemoryEntry, ...]:
        """By words of key, value and metadata; best first."""
        params = {"query": query, "namespace": namespace, "limit": limit, **self._which}
        found = await self._bridge.call("memory.search", params)
        return tuple(MemoryEntry.model_validate(entry) for entry in found)


def _entry(value: Any) -> MemoryEntry | None:
    return None if value is None else MemoryEntry.model_validate(value)

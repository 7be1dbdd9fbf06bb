"""What a test's agent remembers: ``ctx.memory`` and ``ctx.shared_memory``."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from ..auth import Caller
from ..errors import NotAvailable
from .core import BridgeCore

Entries = dict[tuple[str, str], dict[str, Any]]


class Memory(BridgeCore):
    def _entries(self, shared: bool) -> Entries:
        if shared:
            return self._agent.shared_memory
        if self._caller is None:
            raise NotAvailable("memory of a caller without an account")
        return self._agent.memory_of(self._caller.sub) if isinstance(self._caller, Caller) else self._agent.memory

    async def _memory_get(self, key: str, namespace: str, shared: bool = False) -> dict[str, Any] | None:
        return self._entries(shared).get((namespace, key))

    async def _memory_put(
        self,
        key: str,
        value: Any,
        namespace: str,
        metadata: dict[str, Any],
        ttl_seconds: int | None,
        if_version: int | None,
        shared: bool = False,
    ) -> dict[str, Any] | None:
        entries = self._entries(shared)
        before = entries.get((namespace, key))
        version = before["version"] if before else 0
        if if_version is not None and if_version != version:
            return None
        now = datetime.now(UTC)
        expires = None if ttl_seconds is None else (now + timedelta(seconds=ttl_seconds)).isoformat()
        entry = {
            "namespace": namespace,
            "key": key,
            "value": json.loads(json.dumps(value)),
            "metadata": metadata,
            "version": version + 1,
            "expires_at": expires,
            "created_at": before["created_at"] if before else now.isoformat(),
            "updated_at": now.isoformat(),
        }
        entries[namespace, key] = entry
        return entry

    async def _memory_delete(self, key: str, namespace: str, shared: bool = False) -> bool:
        return self._entries(shared).pop((namespace, key), None) is not None

    async def _memory_list(
        self, namespace: str | None, prefix: str | None, limit: int, cursor: str | None, shared: bool = False
    ) -> dict[str, Any]:
        entries = self._entries(shared)
        places = [place for place in sorted(entries) if namespace in (None, place[0])]
        after = [place for place in places if place[1].startswith(prefix or "") and (not cursor or " ".join(place) > cursor)]
        items = [entries[place] for place in after[:limit]]
        return {"items": items, "next_cursor": " ".join(after[limit - 1]) if len(after) > limit else None}

    async def _memory_search(self, query: str, namespace: str | None, limit: int, shared: bool = False) -> list[dict[str, Any]]:
        words = query.lower().split()
        page = await self._memory_list(namespace, None, len(self._entries(shared)) + 1, None, shared)
        found = [entry for entry in page["items"] if words and all(word in json.dumps(entry).lower() for word in words)]
        return [{**entry, "score": 1.0} for entry in found[:limit]]

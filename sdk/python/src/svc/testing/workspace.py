"""The caller's workspace in a test: grants, views and patches."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import FileNotFound, GrantInvalid, ScopeDenied, ScopeExpansionNotAllowed, WorkspaceDenied
from ..grant import Grant, mint_grant, verify_grant
from ..patterns import is_under, matches_any
from .core import TEST_KEY, BridgeCore
from .policy import require_allowed, require_workspace

BUCKET = "usr:test"


class Workspace(BridgeCore):
    def commit(self, patch: dict[str, Any]) -> None:
        if patch["operation"] == "delete":
            self._agent.files.pop(patch["path"], None)
        else:
            self._agent.files[patch["path"]] = patch.pop("content")
        patch["state"] = "committed"

    async def _request_scope(self, **wish: Any) -> dict[str, Any]:
        policy = self._agent.card["workspace_access"]
        if not self._agent.declaration.skills[self._skill].card["policy"]["allow_scope_expansion"]:
            raise ScopeExpansionNotAllowed(f'skill "{self._skill}" did not declare allow_scope_expansion=True')
        held = self.grant.allow_patterns if self.grant is not None else ()
        prefix = wish["write_prefix"]
        require_allowed(policy, wish["read"], prefix, wish["mode"], wish["reason"], {}, named=False)
        folder = () if prefix is None else (f"{prefix.rstrip('/')}/**",)
        patterns = dict.fromkeys((*held, *wish["read"], *folder))
        grant = self._granted(wish, patterns, wish["mode"], prefix, wish["ttl_seconds"])
        return grant.model_dump(mode="json")

    async def _deny_scope(self, request_id: str, reason: str) -> bool:
        return False

    async def _resolve_scope_grant(self, request_id: str, grant_token: str) -> bool:
        verify_grant(grant_token, TEST_KEY, audience=self._agent.card["name"])
        return False

    async def _workspace_search(self, query: str, types: list[str], limit: int) -> list[dict[str, Any]]:
        words = query.lower().split()
        hits = [path for path in sorted(self._agent.files) if all(word in self._searched(path) for word in words)]
        return [self._match(path) for path in hits[:limit]]

    async def _workspace_open_view(self, max_files: int, mode: str, **wish: Any) -> dict[str, Any]:
        policy = self._agent.card["workspace_access"]
        require_workspace(policy)
        shown = [path for path in sorted(self._agent.files) if not matches_any(policy["deny_patterns"], path)]
        picked = shown[: min(max_files, policy["max_files"])]
        require_allowed(policy, picked, None, mode, wish["reason"], self._sizes(), named=True)
        return self._view(self._granted({**wish, "mode": mode}, tuple(picked), mode, None, 300), picked)

    async def _workspace_request_access(self, files: list[str], mode: str, **wish: Any) -> dict[str, Any]:
        policy = self._agent.card["workspace_access"]
        require_workspace(policy)
        require_allowed(policy, files, None, mode, wish["reason"], self._sizes(), named=True)
        return self._view(self._granted({**wish, "mode": mode, "files": files}, tuple(files), mode, None, 300), files)

    async def _workspace_view(self) -> dict[str, Any]:
        if self.grant is None:
            raise WorkspaceDenied("no grant is held: ask with open_view() or request_access()")
        return self._view(self.grant, [])

    async def _workspace_list_grants(self) -> list[dict[str, Any]]:
        return [self.grant.model_dump(mode="json")] if self.grant is not None else []

    async def _workspace_delegate(
        self,
        audience: str,
        allow_patterns: list[str],
        deny_patterns: list[str],
        mode: Any,
        outputs_prefix: str | None,
        ttl_seconds: int,
    ) -> str:
        if self.grant is None or (mode != "read_only" and self.grant.mode == "read_only"):
            raise WorkspaceDenied("what is delegated must be contained in what is held")
        name = self._agent.card["name"]
        return mint_grant(
            name,
            audience,
            self.grant.bucket,
            mode,
            allow_patterns,
            deny_patterns,
            outputs_prefix,
            ttl_seconds,
            secret=TEST_KEY,
        )[1]

    async def _workspace_install_grant(self, grant: Any) -> None:
        if not isinstance(grant, str):
            raise GrantInvalid()
        self.grant = verify_grant(grant, TEST_KEY, audience=self._agent.card["name"])

    async def _view_read(self, view: int, path: str) -> dict[str, Any]:
        self._allowed(view, path)
        staged = [patch for patch in self.patches if patch["path"] == path]
        data = staged[-1].get("content") if staged else self._agent.files.get(path)
        if data is None:
            raise FileNotFound(f'there is no file "{path}" in the workspace as the grant shows it')
        return {"data": base64.b64encode(data).decode("ascii")}

    async def _view_write(self, view: int, path: str, data: str) -> dict[str, Any]:
        return self._stage(view, path, "write", base64.b64decode(data))

    async def _view_delete(self, view: int, path: str) -> dict[str, Any]:
        return self._stage(view, path, "delete", None)

    async def _view_patches(self, view: int) -> list[dict[str, Any]]:
        return [_without_content(patch) for patch in self.patches]

    def _stage(self, view: int, path: str, operation: str, content: bytes | None) -> dict[str, Any]:
        grant = self._allowed(view, path)
        if grant.mode != "read_write_overlay":
            raise WorkspaceDenied("the grant is read_only: ask for read_write_overlay")
        if grant.outputs_prefix is not None and not is_under(grant.outputs_prefix, path):
            raise WorkspaceDenied(f"the grant lets write below {grant.outputs_prefix} only")
        size = len(content) if content is not None else 0
        patch = {
            "patch_id": f"pat_{uuid.uuid4()}",
            "path": path,
            "operation": operation,
            "size_bytes": size,
            "content": content,
            "state": "staged",
        }
        self.patches.append(patch)
        return _without_content(patch)

    def _allowed(self, view: int, path: str) -> Grant:
        grant = self._views[view]
        if not matches_any(grant.allow_patterns, path) or matches_any(grant.deny_patterns, path):
            raise WorkspaceDenied(f'the grant does not show "{path}"')
        return grant

    def _granted(self, wish: Mapping[str, Any], patterns: Iterable[str], mode: Any, prefix: str | None, ttl: int) -> Grant:
        if not self._agent.approve(wish):
            raise ScopeDenied("denied by the test")
        name = self._agent.card["name"]
        policy = self._agent.card["workspace_access"]
        deny = policy["deny_patterns"] if policy["enabled"] else ()
        self.grant, _ = mint_grant("usr:test", name, BUCKET, mode, tuple(patterns), deny, prefix, ttl, secret=TEST_KEY)
        return self.grant

    def _sizes(self) -> dict[str, int]:
        return {path: len(data) for path, data in self._agent.files.items()}

    def _view(self, grant: Grant, files: Iterable[str]) -> dict[str, Any]:
        self._views.append(grant)
        matches = [self._match(path) for path in files if path in self._agent.files]
        return {"view": len(self._views) - 1, "grant": grant.model_dump(mode="json"), "files": matches}

    def _match(self, path: str) -> dict[str, Any]:
        return {"path": path, "file_type": "other", "score": 1.0, "size_bytes": len(self._agent.files[path])}

    def _searched(self, path: str) -> str:
        return f"{path}\n{self._agent.files[path].decode(errors='replace')}".lower()


def _without_content(patch: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in patch.items() if key != "content"}

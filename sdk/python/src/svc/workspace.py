"""The caller's files, as far as a grant shows them. No file system path is ever seen."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any

from .bridge import Bridge
from .grant import Grant
from .policies import FileType, WorkspaceMode
from .types import FileMatch, Patch


class WorkspaceView:
    """Files under one grant. Writes are staged as patches: committed when the run succeeded, rejected otherwise."""

    def __init__(self, bridge: Bridge, opened: Mapping[str, Any]) -> None:
        self._bridge = bridge
        self._view = opened["view"]
        self.grant = Grant.model_validate(opened["grant"])
        self.files = tuple(FileMatch.model_validate(match) for match in opened.get("files", ()))
        """What was picked or granted; reading is bound by the grant, not by this list."""

    async def read(self, path: str) -> bytes:
        """Raises FileNotFound, WorkspaceDenied, GrantInvalid."""
        return base64.b64decode((await self._call("view.read", path=path))["data"])

    async def write(self, path: str, content: bytes | str) -> Patch:
        data = content.encode() if isinstance(content, str) else content
        return Patch.model_validate(await self._call("view.write", path=path, data=base64.b64encode(data).decode("ascii")))

    async def delete(self, path: str) -> Patch:
        return Patch.model_validate(await self._call("view.delete", path=path))

    async def patches(self) -> list[Patch]:
        """What was staged under this grant in this run."""
        return [Patch.model_validate(patch) for patch in await self._call("view.patches")]

    async def _call(self, method: str, **params: Any) -> Any:
        return await self._bridge.call(method, {"view": self._view, **params})


class Workspace:
    def __init__(self, bridge: Bridge, grant: Grant | None) -> None:
        self._bridge = bridge
        self._grant = grant

    @property
    def grant(self) -> Grant | None:
        """What is held now: the caller's, or a wider one that superseded it."""
        return self._grant

    def _hold(self, grant: Grant) -> None:
        self._grant = grant

    async def search(self, query: str, types: Iterable[FileType] = (), limit: int = 20) -> list[FileMatch]:
        params = {"query": query, "types": list(types), "limit": limit}
        return [FileMatch.model_validate(match) for match in await self._bridge.call("workspace.search", params)]

    async def open_view(
        self,
        purpose: str,
        hints: Iterable[str] = (),
        file_types: Iterable[FileType] = (),
        max_files: int = 10,
        mode: WorkspaceMode = "read_only",
        reason: str = "",
    ) -> WorkspaceView:
        """Has files picked for a purpose and asks for access to them; may pause for a person. Raises ScopeDenied.

        reason: what the person who decides reads; default: the purpose.
        """
        params = {
            "purpose": purpose,
            "hints": list(hints),
            "file_types": list(file_types),
            "max_files": max_files,
            "mode": mode,
            "reason": reason or purpose,
        }
        return self._opened(await self._bridge.call("workspace.open_view", params))

    async def request_access(self, files: Iterable[str], mode: WorkspaceMode, reason: str, purpose: str = "") -> WorkspaceView:
        """Asks for access to named files; may pause for a person. Raises ScopeDenied."""
        params = {"files": list(files), "mode": mode, "reason": reason, "purpose": purpose}
        return self._opened(await self._bridge.call("workspace.request_access", params))

    async def view(self) -> WorkspaceView:
        """Files as the grant held now shows them. Raises WorkspaceDenied when none is held."""
        return self._opened(await self._bridge.call("workspace.view", {}))

    async def list_grants(self) -> list[Grant]:
        """The grants this run holds, newest first."""
        return [Grant.model_validate(grant) for grant in await self._bridge.call("workspace.list_grants", {})]

    async def delegate(
        self,
        audience: str,
        allow_patterns: Iterable[str] = ("**",),
        deny_patterns: Iterable[str] = (),
        mode: WorkspaceMode = "read_only",
        outputs_prefix: str | None = None,
        ttl_seconds: int = 300,
    ) -> str:
        """A signed grant token to pass to ``ctx.call``. Raises WorkspaceDenied when it is not contained in what is held."""
        params = {
            "audience": audience,
            "allow_patterns": list(allow_patterns),
            "deny_patterns": list(deny_patterns),
            "mode": mode,
            "outputs_prefix": outputs_prefix,
            "ttl_seconds": ttl_seconds,
        }
        return str(await self._bridge.call("workspace.delegate", params))

    async def install_grant(self, grant: Grant | str) -> None:
        """Replaces what is held by a superseding grant: its token, or a grant this run was given. Raises GrantInvalid."""
        given = grant.model_dump(mode="json") if isinstance(grant, Grant) else grant
        await self._bridge.call("workspace.install_grant", {"grant": given})
        if isinstance(grant, Grant):
            self._grant = grant

    def _opened(self, opened: Mapping[str, Any]) -> WorkspaceView:
        view = WorkspaceView(self._bridge, opened)
        self._grant = view.grant
        return view

"""What the platform refuses of a wish for files, by the policy on the agent's card: the same in a test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import ScopeDenied, WorkspaceDenied
from ..patterns import matches_any


def require_workspace(policy: Mapping[str, Any]) -> None:
    if not policy["enabled"]:
        raise WorkspaceDenied("this agent declares no workspace access: set workspace_access = WorkspaceAccess.dynamic()")


def require_allowed(
    policy: Mapping[str, Any], read: Iterable[str], prefix: str | None, mode: str, reason: str, sizes: Mapping[str, int], *, named: bool
) -> None:
    """``named``: single files, not patterns. Raises ScopeDenied."""
    wanted = [*read, *([] if prefix is None else [f"{prefix.rstrip('/')}/**"])]
    if not wanted and (named or mode == "read_only"):
        raise ScopeDenied("no file fits" if named else "neither something to read nor to write was asked for")
    if not policy["enabled"]:
        return
    asked = mode if prefix is None else "read_write_overlay"
    if asked not in (policy["allowed_modes"] or ["read_only"]):
        allowed = ", ".join(policy["allowed_modes"]) or "read_only"
        raise ScopeDenied(f"the agent's workspace_access allows {allowed} (allowed_modes), not {asked}")
    if policy["require_reason"] and not reason.strip():
        raise ScopeDenied("the agent's workspace_access requires a reason: say what the files are for")
    if named and len(wanted) > policy["max_files"]:
        raise ScopeDenied(f"the agent's workspace_access allows {policy['max_files']} files at a time (max_files)")
    total = sum(sizes.get(path, 0) for path in wanted)
    if named and total > policy["max_total_size_bytes"]:
        raise ScopeDenied(f"the agent's workspace_access allows {policy['max_total_size_bytes']} bytes together (max_total_size_bytes)")
    # Of a wider pattern the grant itself keeps what is denied out.
    denies = policy["deny_patterns"]
    denied = next((pattern for pattern in wanted if pattern in denies or matches_any(denies, pattern)), None)
    if denied is not None:
        raise ScopeDenied(f"the agent's workspace_access denies {denied} (deny_patterns)")

"""Whom a question may be put to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, cast, final

from typing_extensions import TypedDict

Role: TypeAlias = Literal["owner", "admin", "developer", "operator", "auditor", "billing"]
"""Of a member of an organization."""

ROLES: tuple[Role, ...] = ("owner", "admin", "developer", "operator", "auditor", "billing")
MAX_PEOPLE = 20


@final
class AskPeople(TypedDict):
    """``{"people": ["cfo@example.com"]}``: 1 to 20 addresses or account ids; the first answer counts.

    Members of the organization that owns the agent, or accounts that have called it and have scopes of it (``svc callers grant``).
    """

    people: Sequence[str]


@final
class AskRole(TypedDict):
    """``{"role": "admin"}``: any member of the organization that owns the agent who has it."""

    role: Role


Recipient: TypeAlias = Literal["caller", "owner"] | AskPeople | AskRole


def checked_recipient(of: Recipient) -> Recipient:
    """As it goes to the platform. Raises TypeError."""
    if isinstance(of, str):
        if of in ("caller", "owner"):
            return of
    elif set(of) == {"role"}:
        role = cast(AskRole, of)["role"]
        if role in ROLES:
            return {"role": role}
    elif set(of) == {"people"}:
        named = cast(AskPeople, of)["people"]
        people = [] if isinstance(named, str) else list(named)
        if 1 <= len(people) <= MAX_PEOPLE and all(isinstance(one, str) and len(one.strip()) > 0 and len(one) <= 254 for one in people):
            return {"people": people}
    raise TypeError(
        f'ask: `of` is "caller", "owner", {{"people": 1 to {MAX_PEOPLE} addresses or account ids}} or {{"role": one of {", ".join(ROLES)}}}'
    )

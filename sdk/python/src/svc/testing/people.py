"""Whom a question may be put to in a test: the people that the test names."""

from __future__ import annotations

from collections.abc import Sequence

from ..auth import Caller
from ..errors import NobodyToAsk
from ..recipient import Recipient
from .core import Person, Who


def require_asked(people: Sequence[Person], caller: Who, of: Recipient) -> None:
    """As the platform: at once, before anybody is asked. Raises NobodyToAsk."""
    if of == "owner":
        return
    if isinstance(of, str):
        if caller is None:
            raise NobodyToAsk("this run has no user who could be asked; call it signed in, or pass the answer as an argument")
        return
    if "role" in of:
        # Who began the run does not answer what a role is asked.
        starter = caller.sub if isinstance(caller, Caller) else None
        if not any(one.role == of["role"] and not one.is_called(starter) for one in people):
            raise NobodyToAsk(f"nobody but the caller has the role {of['role']}")
        return
    unknown = [name for name in of["people"] if sum(one.is_called(name) for one in people) != 1]
    if unknown:
        raise NobodyToAsk(f"cannot be asked: {', '.join(unknown)}")

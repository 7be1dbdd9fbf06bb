"""A run's time as its worker knows it: stands while the run asks the runtime for something, which may ask a person."""

from __future__ import annotations

import time

_ENDLESS = float("inf")


class RunClock:
    LEFTOVER = 5.0
    """Seconds that what is left of a run that is over may block the loop."""
    GRACE = 1.0
    """Seconds after the deadline for code that calls check_cancelled: it receives the error there instead of being interrupted."""

    def __init__(self, deadline: float | None) -> None:
        """``deadline``: seconds since the epoch."""
        self.over = False
        self._open = 0
        self._held_at = 0.0
        self.checked_at = -_ENDLESS
        """When the run's code last called check_cancelled and messages were read; monotonic."""
        self._ends_at = _ENDLESS
        self.deadline: float | None = None
        """The last value from the runtime."""
        self.set(deadline)

    def set(self, deadline: float | None) -> None:
        self.deadline = deadline
        self._ends_at = _ENDLESS if deadline is None else time.monotonic() + deadline - time.time()

    def give_back(self, seconds: float) -> None:
        self._ends_at += seconds

    def hold(self) -> None:
        if self._open == 0:
            self._held_at = time.monotonic()
        self._open += 1

    def go_on(self, deadline: float | None) -> None:
        """``deadline``: as the runtime says with its reply; None where it does not say."""
        self._open -= 1
        if deadline is not None:
            self.set(deadline)
        elif self._open == 0:
            self._ends_at += time.monotonic() - self._held_at

    @property
    def left(self) -> float:
        return self._ends_at - (self._held_at if self._open else time.monotonic())

    def may_block(self, blocked: float) -> float:
        """Seconds; 0 or less: its code is to be ended."""
        if self.over:
            return self.LEFTOVER - blocked
        if self._open:
            return self.left - blocked
        return self.left + (self.GRACE if time.monotonic() - self.checked_at < self.GRACE else 0.0)

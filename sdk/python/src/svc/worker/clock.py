"""A run's time as its worker knows it: stands while the run asks the runtime for something, which may ask a person."""

from __future__ import annotations

import time

_ENDLESS = float("inf")


class RunClock:
    LEFTOVER = 5.0
    """Seconds that what is left of a run that is over may block the loop."""

    def __init__(self, deadline: float | None) -> None:
        """``deadline``: seconds since the epoch."""
        self.over = False
        self._open = 0
        self._held_at = 0.0
        self._ends_at = _ENDLESS
        self.set(deadline)

    def set(self, deadline: float | None) -> None:
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
        return self.left - blocked if self._open else self.left

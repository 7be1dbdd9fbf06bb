"""A timer of the kernel's that sends this process a signal. A thread cannot where C code keeps the interpreter's lock (``re``)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable


class _Event(ctypes.Structure):
    # struct sigevent: 64 bytes.
    _fields_ = (
        ("value", ctypes.c_void_p),
        ("number", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("rest", ctypes.c_byte * 48),
    )


class _Times(ctypes.Structure):
    # struct itimerspec: the interval, which is none, and the time until it strikes.
    _fields_ = (
        ("every_s", ctypes.c_long),
        ("every_ns", ctypes.c_long),
        ("seconds", ctypes.c_long),
        ("nanoseconds", ctypes.c_long),
    )


_CLOCK_MONOTONIC = 1
_SIGEV_SIGNAL = 0


def alarm(number: int) -> Callable[[float], None] | None:
    """Returns a function that sets, or resets, the timer of the signal in seconds; 0 stops it. None where the system has no such timers."""
    libc = ctypes.CDLL(None)
    event = _Event(None, number, _SIGEV_SIGNAL)
    timer = ctypes.c_void_p()
    if not hasattr(libc, "timer_create"):
        return None
    if libc.timer_create(_CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) != 0:
        return None

    def arm(seconds: float) -> None:
        whole = int(seconds)
        libc.timer_settime(timer, 0, ctypes.byref(_Times(0, 0, whole, int((seconds - whole) * 1e9))), None)

    return arm

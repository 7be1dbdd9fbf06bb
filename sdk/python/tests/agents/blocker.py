"""Handlers that block their loop."""

import asyncio
import contextlib
import ctypes
import os
import re
import signal
import time

from svc import Agent, RunContext, SvcError, skill


def spin() -> None:
    while True:
        pass


class Blocker(Agent):
    name = "blocker"
    description = "For tests."
    version = "1.0.0"

    @skill()
    async def spins(self, ctx: RunContext) -> None:
        spin()

    @skill(timeout_seconds=1)
    async def spins_on(self, ctx: RunContext) -> None:
        spin()

    @skill()
    async def stubborn(self, ctx: RunContext) -> None:
        while True:
            with contextlib.suppress(Exception):
                spin()

    @skill()
    async def checks(self, ctx: RunContext) -> None:
        while True:
            try:
                ctx.check_cancelled()
            except SvcError as error:
                ctx.log.info("received", code=error.code)
                raise

    @skill()
    async def ignores_checks(self, ctx: RunContext) -> None:
        while True:
            with contextlib.suppress(SvcError):
                ctx.check_cancelled()

    @skill()
    async def after_await(self, ctx: RunContext) -> None:
        await asyncio.sleep(0.01)
        spin()

    @skill()
    async def sleeps(self, ctx: RunContext) -> None:
        time.sleep(1e9)  # noqa: ASYNC251

    @skill()
    async def opens(self, ctx: RunContext, fifo: str, keeps_lock: bool) -> str:
        """Blocks until somebody writes; with the interpreter's lock no other thread runs, and no signal is taken."""
        if not keeps_lock:
            os.close(os.open(fifo, os.O_RDONLY))
            return "opened"
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        ctypes.PyDLL(None).open(fifo.encode(), os.O_RDONLY)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return "opened"

    @skill()
    async def regex(self, ctx: RunContext) -> None:
        re.match(r"(a+)+$", "a" * 64 + "b")

    @skill()
    async def in_a_task(self, ctx: RunContext) -> None:
        async def work() -> None:
            spin()

        await asyncio.create_task(work())

    @skill()
    async def waits(self, ctx: RunContext) -> list[str]:
        local = ["local"]
        local.append(await ctx.ask("Go on?"))
        return local

    @skill()
    async def tells_its_deadline(self, ctx: RunContext) -> list[float | None]:
        before = ctx.deadline
        await ctx.ask("Go on?")
        return [before, ctx.deadline, ctx.seconds_left]

    @skill()
    async def waits_then_spins(self, ctx: RunContext) -> None:
        await ctx.ask("Go on?")
        await ctx.emit_progress("went on")
        spin()

    @skill()
    async def hangs(self, ctx: RunContext) -> None:
        await asyncio.sleep(60)

    @skill()
    async def works(self, ctx: RunContext) -> str:
        until = time.monotonic() + 2
        while time.monotonic() < until:
            pass
        return "worked"

    @skill()
    async def sleeps_in_a_thread(self, ctx: RunContext) -> None:
        await asyncio.to_thread(time.sleep, 1e9)

    @skill()
    async def spins_in_a_thread(self, ctx: RunContext) -> None:
        await asyncio.to_thread(spin)

    @skill()
    async def in_a_thread(self, ctx: RunContext) -> str:
        return await asyncio.to_thread(lambda: "threaded")

    @skill()
    async def quick(self, ctx: RunContext) -> str:
        return "quick"

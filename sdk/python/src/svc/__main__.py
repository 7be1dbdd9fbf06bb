"""``python -m svc card|compile|worker module:Class``: what the command line tool and images start."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from .problems import Problem
from .project import ProjectError, compile_agent, load_declaration
from .version import __version__


def main(argv: list[str] | None = None) -> int:
    """0, or 1 with the problems of the project as a JSON list on stdout."""
    parser = argparse.ArgumentParser(prog="python -m svc", description=__doc__)
    parser.add_argument("--version", action="version", version=f"svc-sdk {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    helps = {
        "card": "print the agent's card",
        "compile": "print the compiled declaration (.svc/agent.dsl.json)",
        "worker": "run the handlers behind a runtime",
    }
    for name, text in helps.items():
        command = commands.add_parser(name, help=text)
        command.add_argument("entrypoint", help='"module:Class", e.g. "agent:Greeter"')
        command.add_argument("--folder", default=".", help="of the project")
        if name != "card":
            waits = "load the SDK, then wait for a line on standard input before the project is loaded"
            command.add_argument("--spare", action="store_true", help=waits + ("; it says where to listen" if name == "worker" else ""))
        if name == "worker":
            command.add_argument("--reload", action="store_true", help="only in development: the runtime may ask to load changed code")
            command.add_argument("--verbose", action="store_true", help="traces with the frames of the SDK and of packages")
            command.add_argument("--listen", help='"unix:/path" or "tcp:host:port"; default: SVC_WORKER_LISTEN')
    options = parser.parse_args(argv)
    try:
        return _run(options)
    except ProjectError as error:
        return _told(error.problems, to_stderr=options.command == "worker")


def _run(options: argparse.Namespace) -> int:
    if options.command != "worker":
        # Clients of models are often made while the module loads, and refuse to be without a key; where it runs, it finds the platform's.
        for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            os.environ.setdefault(variable, "not-needed-to-declare-an-agent")
    if options.command == "card":
        return _print(load_declaration(options.entrypoint, options.folder)[1].card)
    if options.command == "compile":
        if options.spare and _line() is None:
            return 0
        return _print(compile_agent(options.entrypoint, options.folder))
    # Only a worker needs the event loop and what comes with it.
    from .traces import show_all
    from .worker.loads import reloading
    from .worker.loop import run_loop
    from .worker.serve import serve

    if options.verbose:
        show_all()
    if options.spare:
        options.listen = _line()
        if options.listen is None:
            return 0
    # One that was deployed starts as it did.
    cls, _ = load_declaration(options.entrypoint, options.folder, strict=options.reload)
    try:
        run_loop(serve(cls, options.listen, reload=reloading(options.entrypoint, options.folder) if options.reload else None))
    except (OSError, ValueError) as error:
        return _told([Problem(f"the worker cannot listen: {error}")], to_stderr=True)
    return 0


def _line() -> str | None:
    """The line that a spare process waits for; None: it is not needed any more. The author's code finds an empty standard input."""
    line = sys.stdin.readline()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    return line.strip() if line else None


def _print(value: Any) -> int:
    print(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2))
    return 0


def _told(problems: list[Problem], to_stderr: bool) -> int:
    stream = sys.stderr if to_stderr else sys.stdout
    print(json.dumps([problem.to_json() for problem in problems], ensure_ascii=False, indent=2), file=stream)
    return 1


if __name__ == "__main__":
    sys.exit(main())

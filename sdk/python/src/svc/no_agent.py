"""What a module has instead of the agent that its entrypoint names, and what to write."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType

from .agent import Agent
from .problems import Problem

_SERVERS = ("FastAPI", "Starlette", "Flask", "Quart", "FastMCP", "MCPServer")


def no_agent(module: ModuleType, path: str, class_name: str) -> Problem:
    """``path``: of the module, as the entrypoint writes it."""
    file = getattr(module, "__file__", None)
    name = Path(file).name if file else module.__name__
    found = getattr(module, class_name, None)
    if isinstance(found, type):
        message = f'{class_name} does not extend Agent: write "class {class_name}(Agent):" (Agent is in the module svc)'
        return Problem(message, file=file, line=_line(found), column=1)
    if isinstance(found, Agent):
        written = type(found).__name__
        message = f'{class_name} is an instance of an agent: write its class, "entrypoint: {path}:{written}"'
        return Problem(message, file=file, of="entrypoint")
    agents = [key for key, value in vars(module).items() if isinstance(value, type) and issubclass(value, Agent) and value is not Agent]
    if agents:
        its, write = ("its agent is", "write") if len(agents) == 1 else ("its agents are", "choose one, for example")
        message = f'{name} has no {class_name}; {its} {" and ".join(agents)}: {write} "entrypoint: {path}:{agents[0]}"'
        return Problem(message, file=file, of="entrypoint")
    own = [key for key, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__ and not key.startswith("_")]
    server = next((key for key, value in vars(module).items() if type(value).__name__ in _SERVERS), None)
    if server is not None:
        remedy = 'make an agent of it with "svc init NAME --from ." in a folder without svc.yaml'
        return Problem(f"{name} has no agent; {server} is an application of {type(vars(module)[server]).__name__}: {remedy}", file=file)
    has = f"it has {', '.join(own[:8])}" if own else "it is empty"
    return Problem(f'{name} has no agent; {has}: write "class {class_name}(Agent):" (Agent is in the module svc)', file=file)


def _line(found: type) -> int | None:
    try:
        return inspect.getsourcelines(found)[1]
    except (OSError, TypeError):
        return None

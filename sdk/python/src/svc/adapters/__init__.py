"""An agent of another framework as an agent here: ``from svc.adapters.langgraph import from_langgraph``, and so on for each.

Importing this imports no framework. ``ask`` and ``ask_sync`` work in whatever the framework runs during a run of the skill.

Each ``from_…`` takes the framework's object and gives a class that extends Agent, for ``entrypoint: agent:Name``. Its keywords:

- ``name``, ``description``, ``version``: of the agent. ``skill``: the name of its one skill.
- ``input``: a pydantic model, TypedDict or dataclass whose fields are the arguments, in place of what the framework's object
  declares; ``str``: one argument ``message``. ``output``: the type of the result, likewise.
- ``options``: more arguments of the framework's own function that runs the object, or a function that makes them of the run context.
- ``ask_timeout``: seconds that an approval waits for a person.
- all others: attributes of Agent, such as ``concurrency`` or ``egress``.

Text is reported as it comes, calls of tools as events ``tool``, handoffs as events ``handoff``. What ends the run cancels the
framework's task.
"""

from ._run import ask, ask_sync, current_run

__all__ = ["ask", "ask_sync", "current_run"]

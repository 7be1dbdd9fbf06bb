"""Call an agent's skills in memory, with everything between caller and handler but the network.

``agent = TestAgent(Greeter); assert (await agent.invoke("greet", name="Ada")).result == "Hello, Ada"``
"""

from __future__ import annotations

from .agent import TestAgent, TestResult, TestRun
from .core import Answer, Approve, Asked, Person, Reply, Who
from .models import LlmScript, ScriptedAnswer, ScriptedRequest

__all__ = [
    "Answer",
    "Approve",
    "Asked",
    "LlmScript",
    "Person",
    "Reply",
    "ScriptedAnswer",
    "ScriptedRequest",
    "TestAgent",
    "TestResult",
    "TestRun",
    "Who",
]

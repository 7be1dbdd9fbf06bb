"""An agent of Pydantic AI as its quick start writes one: instructions, a tool, and a person who decides about the tool."""

import os
from pathlib import Path

from pydantic_ai import Agent, DeferredToolRequests
from svc.adapters.pydantic_ai import from_pydantic_ai

agent = Agent(
    "openai-chat:" + os.environ.get("MODEL", "gpt-5-mini"),
    instructions="You refund orders with the tool, and say what you did.",
    output_type=[str, DeferredToolRequests],
)


@agent.tool_plain(requires_approval=True)
def refund(order: str) -> str:
    """Pays the price of an order back."""
    with Path(os.environ.get("LEDGER", "/tmp/ledger.txt")).open("a") as ledger:
        ledger.write(f"{order}\n")
    return f"Order {order} is refunded."


Refunds = from_pydantic_ai(agent, name="refunds-pydantic-ai", description="Refunds orders.")

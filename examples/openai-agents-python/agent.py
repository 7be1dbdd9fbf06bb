"""An agent of OpenAI Agents as its quick start writes one: instructions, a tool, and a person who decides about the tool."""

import os
from pathlib import Path

from agents import Agent, function_tool
from svc import Resources
from svc.adapters.openai_agents import from_openai_agents


@function_tool(needs_approval=True)
def refund(order: str) -> str:
    """Pays the price of an order back."""
    with Path(os.environ.get("LEDGER", "/tmp/ledger.txt")).open("a") as ledger:
        ledger.write(f"{order}\n")
    return f"Order {order} is refunded."


agent = Agent(
    name="Refunds",
    instructions="You refund orders with the tool, and say what you did.",
    model=os.environ.get("MODEL", "gpt-5-mini"),
    tools=[refund],
)

Refunds = from_openai_agents(agent, name="refunds-openai-agents", description="Refunds orders.", resources=Resources(memory="512Mi"))

"""An agent of Google ADK as its quick start writes one: instructions, a tool, and a person who confirms the tool."""

import asyncio
import os
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool


def refund(order: str) -> str:
    """Pays the price of an order back."""
    with Path(os.environ.get("LEDGER", "/tmp/ledger.txt")).open("a") as ledger:
        ledger.write(f"{order}\n")
    return f"Order {order} is refunded."


agent = LlmAgent(
    name="refunds",
    instruction="You refund orders with the tool, and say what you did.",
    model=LiteLlm(model=f"openai/{os.environ.get('MODEL', 'gpt-5-mini')}"),
    tools=[FunctionTool(refund, require_confirmation=True)],
)

if __name__ == "__main__":
    asyncio.run(InMemoryRunner(agent=agent).run_debug("Please refund order 7."))

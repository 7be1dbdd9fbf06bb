"""An agent of Google ADK as its quick start writes one: instructions, a tool, and a person who confirms the tool."""

import os
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm
from google.adk.tools import FunctionTool
from svc import Resources
from svc.adapters.google_adk import from_google_adk


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

Refunds = from_google_adk(agent, name="refunds-google-adk", description="Refunds orders.", resources=Resources(memory="768Mi"))

"""A crew of CrewAI as its quick start writes one: an agent, a tool, and a task whose result a person looks at."""

import os
from pathlib import Path

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from svc import Resources
from svc.adapters.crewai import from_crewai


@tool
def refund(order: str) -> str:
    """Pays the price of an order back."""
    with Path(os.environ.get("LEDGER", "/tmp/ledger.txt")).open("a") as ledger:
        ledger.write(f"{order}\n")
    return f"Order {order} is refunded."


clerk = Agent(
    role="Refund clerk",
    goal="Refund orders with the tool, and say what was done.",
    backstory="You work at the till of a shop.",
    llm=LLM(model=os.environ.get("MODEL", "gpt-5-mini"), provider="openai", stream=True),
    tools=[refund],
)
answer = Task(description="{message}", expected_output="One sentence.", agent=clerk, human_input=True)
crew = Crew(agents=[clerk], tasks=[answer])

Refunds = from_crewai(crew, name="refunds-crewai", description="Refunds orders.", resources=Resources(memory="512Mi"))

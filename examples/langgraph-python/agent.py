"""An agent of LangGraph as its quick start writes one: a model, a tool, and a person who decides about the tool."""

import os
from pathlib import Path

from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from svc.adapters.langgraph import ask_sync, from_langgraph


@tool
def refund(order: str) -> str:
    """Pays the price of an order back."""
    if ask_sync(f"Refund order {order}? (yes or no)") != "yes":
        return "The person said no."
    with Path(os.environ.get("LEDGER", "/tmp/ledger.txt")).open("a") as ledger:
        ledger.write(f"{order}\n")
    return f"Order {order} is refunded."


model = ChatOpenAI(model=os.environ.get("MODEL", "gpt-5-mini")).bind_tools([refund])


async def llm_call(state: MessagesState):
    """The model decides whether to call the tool."""
    return {"messages": [await model.ainvoke(state["messages"])]}


def tool_node(state: MessagesState):
    """Does what the model asked for."""
    calls = state["messages"][-1].tool_calls
    return {"messages": [ToolMessage(refund.invoke(call["args"]), tool_call_id=call["id"], name=call["name"]) for call in calls]}


def should_continue(state: MessagesState):
    return "tool_node" if state["messages"][-1].tool_calls else END


builder = StateGraph(MessagesState)
builder.add_node("llm_call", llm_call)
builder.add_node("tool_node", tool_node)
builder.add_edge(START, "llm_call")
builder.add_conditional_edges("llm_call", should_continue, ["tool_node", END])
builder.add_edge("tool_node", "llm_call")
graph = builder.compile(checkpointer=InMemorySaver())

Refunds = from_langgraph(graph, name="refunds-langgraph", description="Refunds orders.", input=str, output=str)

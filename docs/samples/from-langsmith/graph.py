"""A graph as it is deployed to LangSmith: it looks an order up, asks a person, and pays."""

from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

PRICES = {"A-1042": 240, "A-1039": 18}


class Wanted(TypedDict):
    order: str


class State(Wanted, total=False):
    amount: int
    paid: bool


class Done(TypedDict):
    order: str
    amount: int
    paid: bool


def look_up(state: State) -> State:
    return {"order": state["order"], "amount": PRICES.get(state["order"], 0)}


def decide(state: State) -> State:
    answer = interrupt({"question": f"Refund {state['amount']} EUR for order {state['order']}? (yes or no)"})
    return {"order": state["order"], "paid": answer == "yes"}


graph = (
    StateGraph(State, input_schema=Wanted, output_schema=Done)
    .add_node("look_up", look_up)
    .add_node("decide", decide)
    .add_edge(START, "look_up")
    .add_edge("look_up", "decide")
    .add_edge("decide", END)
    .compile()
)

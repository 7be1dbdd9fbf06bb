import asyncio
import operator
from typing import Annotated, Any

import pytest
from langchain_core.messages import AnyMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, Send, StreamWriter, interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict

from svc import Agent, QuestionTimeout
from svc.adapters.langgraph import ask, ask_sync, from_langgraph
from svc.testing import TestAgent, TestResult

from .support import LOOP, WORDS, Held, tools_in


class Order(BaseModel):
    id: str
    cents: int = 0


class Wanted(TypedDict):
    order: Order


class Done(TypedDict):
    said: str


class State(Wanted, Done):
    log: Annotated[list[str], operator.add]


def graph_of(node: Any, **schemas: Any) -> Any:
    return StateGraph(State, **schemas).add_node("work", node).add_edge(START, "work").compile()


def adapted(graph: Any, **more: Any) -> type[Agent]:
    return from_langgraph(graph, name="shop", description="Sells.", **more)


def call(agent: type[Agent], answer: Any = None, /, **args: Any) -> TestResult:
    return LOOP.run(TestAgent(agent, answer=answer).invoke("run", **args))


def test_arguments_and_result_are_those_the_graph_declares() -> None:
    async def work(state: State) -> dict[str, Any]:
        assert isinstance(state["order"], Order)
        return {"said": state["order"].id, "log": ["not part of the output"]}

    graph = graph_of(work, input_schema=Wanted, output_schema=Done)
    agent = adapted(graph)
    [skill] = TestAgent(agent).card["skills"]
    declared = graph.get_input_jsonschema()
    assert skill["input_schema"]["required"] == declared["required"] == ["order"]
    assert skill["input_schema"]["properties"] == declared["properties"]
    assert skill["output_schema"]["properties"] == {"said": {"type": "string"}}
    assert call(agent, order={"id": "7"}).result == {"said": "7"}


def test_where_the_whole_state_is_input_any_part_of_it_will_do() -> None:
    class Every(TypedDict, total=False):
        order: Order
        said: str

    agent = adapted(StateGraph(Every).add_node("work", lambda state: {"said": str(sorted(state))}).add_edge(START, "work").compile())
    assert TestAgent(agent).card["skills"][0]["input_schema"]["required"] == []
    assert call(agent).result == {"said": "[]"}
    assert call(agent, order={"id": "7"}).result == {"order": {"id": "7", "cents": 0}, "said": "['order']"}


def test_pydantic_states_keep_their_defaults() -> None:
    class Model(BaseModel):
        topic: str
        times: int = 2

    graph = StateGraph(Model).add_node("work", lambda state: {"topic": state.topic * state.times}).add_edge(START, "work").compile()
    agent = adapted(graph)
    assert TestAgent(agent).card["skills"][0]["input_schema"]["properties"]["times"] == {"default": 2, "type": "integer"}
    assert call(agent, topic="ab").result["topic"] == "abab"


def test_a_question_in_a_node_is_asked_once_and_the_node_runs_once() -> None:
    ran: list[str] = []

    async def waits(state: State) -> dict[str, Any]:
        ran.append("async")
        return {"said": await ask("Colour?")}

    def blocks(state: State) -> dict[str, Any]:
        ran.append("sync")
        return {"said": ask_sync("Colour?")}

    for node in (waits, blocks):
        done = call(adapted(graph_of(node)), "red")
        assert done.result["said"] == "red"
        assert [event.kind for event in done.events] == ["question", "step"]
    assert ran == ["async", "sync"]


def test_an_interrupt_becomes_a_question_and_langgraph_runs_its_node_again() -> None:
    ran: list[str] = []

    def work(state: State) -> dict[str, Any]:
        ran.append("work")
        return {"said": interrupt({"question": "Which colour?", "of": ["red", "blue"]})}

    done = call(adapted(graph_of(work)), "blue")
    assert done.result["said"] == "blue"
    assert done.events[0].payload["prompt"] == 'Which colour? {"of": ["red", "blue"]}'
    assert ran == ["work", "work"]

    # As it is without the adapter.
    ran.clear()
    graph = StateGraph(State).add_node("work", work).add_edge(START, "work").compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke({}, config)
    assert graph.invoke(Command(resume="blue"), config)["said"] == "blue"
    assert ran == ["work", "work"]


def test_interrupts_at_the_same_time_get_each_its_own_answer() -> None:
    class Votes(TypedDict):
        votes: Annotated[list[str], operator.add]

    builder = StateGraph(Votes).add_node("vote", lambda who: {"votes": [f"{who}:{interrupt(who)}"]})
    builder.add_conditional_edges(START, lambda _: [Send("vote", "ada"), Send("vote", "ben")], ["vote"])
    done = call(adapted(builder.compile()), str.upper)
    assert sorted(done.result["votes"]) == ["ada:ADA", "ben:BEN"]


def test_interrupts_are_asked_whole_and_at_once_and_answered_in_any_order() -> None:
    class Votes(TypedDict):
        votes: Annotated[list[str], operator.add]

    ran: list[str] = []
    prompts: list[str] = []
    second = asyncio.Event()

    def vote(who: str) -> dict[str, Any]:
        ran.append(who)
        answered = interrupt({"question": who, "about": "x" * 900})
        return {"votes": [f"{who}:{answered}"]}

    async def answer(prompt: str) -> str:
        prompts.append(prompt)
        if len(prompts) == 1:
            # The first is answered last.
            await second.wait()
        else:
            second.set()
        return prompt[:1]

    builder = StateGraph(Votes).add_node("vote", vote)
    builder.add_conditional_edges(START, lambda _: [Send("vote", "ada"), Send("vote", "ben")], ["vote"])
    done = call(adapted(builder.compile()), answer)
    assert sorted(prompts) == [f'{who} {{"about": "{"x" * 900}"}}' for who in ("ada", "ben")]
    assert sorted(done.result["votes"]) == ["ada:a", "ben:b"]
    # Each node once until it asked, once with its answer.
    assert sorted(ran) == ["ada", "ada", "ben", "ben"]


def test_an_interrupt_in_a_subgraph_is_asked_once() -> None:
    inner = graph_of(lambda state: {"said": interrupt("Inside?")})
    done = call(adapted(StateGraph(State).add_node("inner", inner).add_edge(START, "inner").compile()), "yes")
    assert done.result["said"] == "yes"
    assert [event.payload.get("node", "?") for event in done.events] == ["?", "inner/work", "inner"]


def test_nobody_answers_in_time() -> None:
    with pytest.raises(QuestionTimeout):
        call(adapted(graph_of(lambda state: {"said": interrupt("?")})))


def test_cancelling_the_run_cancels_the_node() -> None:
    held = Held()

    async def work(state: State) -> dict[str, Any]:
        await held.wait()
        return {}

    held.cancel(adapted(graph_of(work)))


def test_what_a_node_writes_is_reported() -> None:
    def work(state: State, writer: StreamWriter) -> dict[str, Any]:
        writer({"at": {1}})
        return {"said": "done"}

    done = call(adapted(graph_of(work)))
    assert [(event.kind, event.payload) for event in done.events] == [("custom", {"data": {"at": [1]}}), ("step", {"node": "work"})]


@tool
def look_up(city: str) -> str:
    """Looks a city up."""
    return f"{city} is in Poland."


def chat_graph() -> Any:
    model = ChatOpenAI(model="m-1", max_retries=0).bind_tools([look_up])

    async def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    async def act(state: MessagesState) -> dict[str, Any]:
        [one] = state["messages"][-1].tool_calls  # type: ignore[union-attr]
        return {"messages": [ToolMessage(look_up.invoke(one["args"]), tool_call_id=one["id"], name=one["name"])]}

    builder = StateGraph(MessagesState).add_node("think", think).add_node("act", act).add_edge(START, "think").add_edge("act", "think")
    return builder.add_conditional_edges("think", lambda state: "act" if state["messages"][-1].tool_calls else "__end__").compile()


def test_text_comes_word_by_word_and_tools_are_reported() -> None:
    agent = adapted(chat_graph(), input=str, output=str)
    done = call(agent, message="Where?")
    assert done.result == WORDS
    assert [event.payload["text"] for event in done.events if event.kind == "text_delta"][-4:] == ["Hel", "lo, ", "wörld ", "🙂"]
    assert tools_in(done) == [
        {"call_id": "call_1", "name": "look_up", "phase": "started", "summary": '{"city": "Łódź"}'},
        {"call_id": "call_1", "name": "look_up", "phase": "finished", "summary": "Łódź is in Poland."},
    ]


def test_messages_are_roles_and_contents() -> None:
    done = call(adapted(chat_graph()), messages=[{"role": "user", "content": "Where?"}])
    assert [message["role"] for message in done.result["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert done.result["messages"][-1] == {"role": "assistant", "content": "Hello, wörld 🙂"}
    with pytest.raises(Exception, match="input schema"):
        call(adapted(chat_graph()), messages=[{"role": "nobody", "content": ""}])


def test_approvals_of_langchains_middleware_are_forms() -> None:
    from langchain.agents import create_agent
    from langchain.agents.middleware import HumanInTheLoopMiddleware

    looked: list[str] = []

    @tool
    def look(city: str) -> str:
        """Looks a city up."""
        looked.append(city)
        return "In Poland."

    # One model: two would be cached as one, and a refused call is made again.
    def agent() -> Any:
        middleware = [HumanInTheLoopMiddleware(interrupt_on={"look": True})]
        return create_agent(ChatOpenAI(model="m-1", max_retries=0), tools=[look], middleware=middleware)

    done = call(adapted(agent(), input=str, output=str), {"decision": "approve"}, message="Where?")
    assert (done.result, looked) == ("Hello, wörld 🙂", ["Łódź"])
    form = next(event.payload["schema"] for event in done.events if event.kind == "question")
    assert form["properties"]["decision"]["enum"][:2] == ["approve", "reject"]
    call(adapted(agent(), input=str, output=str), {"decision": "reject", "message": "No."}, message="Where?")
    assert looked == ["Łódź"]


def test_options_reach_the_graph_for_each_run() -> None:
    def work(state: State, config: RunnableConfig) -> dict[str, Any]:
        return {"said": config["configurable"]["tenant"]}

    agent = adapted(graph_of(work), options=lambda ctx: {"config": {"configurable": {"tenant": ctx.skill}}}, concurrency=4)
    assert call(agent).result["said"] == "run"
    assert TestAgent(agent).card["runtime"]["concurrency"] == 4


def test_a_wrong_attribute_is_named() -> None:
    with pytest.raises(TypeError, match='no attribute "concurency"'):
        adapted(graph_of(lambda state: {}), concurency=4)


def test_message_classes_in_unions_are_seen() -> None:
    class Odd(TypedDict):
        history: Annotated[list[AnyMessage], operator.add]
        last: AnyMessage

    graph = StateGraph(Odd).add_node("work", lambda state: {"last": state["history"][0]}).add_edge(START, "work").compile()
    properties = TestAgent(adapted(graph)).card["skills"][0]["input_schema"]["properties"]
    assert properties == {"history": {"items": {"$ref": "#/$defs/Message"}, "type": "array"}, "last": {"$ref": "#/$defs/Message"}}

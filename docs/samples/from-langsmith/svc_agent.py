from svc import Resources
from svc.adapters.langgraph import from_langgraph
from graph import graph

Agent = from_langgraph(graph, name="refund-desk", description="Refunds orders.", resources=Resources(memory="512Mi"))

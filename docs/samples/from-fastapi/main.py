"""A service as the tutorial of FastAPI writes one."""

from typing import Annotated

from fastapi import FastAPI, HTTPException, Query
from pydantic import BaseModel

app = FastAPI(title="Orders")


class Order(BaseModel):
    id: str
    item: str
    cups: int


class NewOrder(BaseModel):
    item: str
    cups: int = 1


orders: dict[str, Order] = {}


@app.post("/orders", status_code=201)
def place_order(order: NewOrder) -> Order:
    """Takes an order."""
    placed = Order(id=f"o-{len(orders) + 1}", **order.model_dump())
    orders[placed.id] = placed
    return placed


@app.get("/orders")
def list_orders(item: Annotated[str | None, Query(description="Only orders of this item.")] = None) -> list[Order]:
    """Lists the orders."""
    return [order for order in orders.values() if item in (None, order.item)]


@app.delete("/orders/{order_id}")
def cancel_order(order_id: str) -> Order:
    """Cancels an order."""
    if order_id not in orders:
        raise HTTPException(404, f"There is no order {order_id}.")
    return orders.pop(order_id)

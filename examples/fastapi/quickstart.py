"""A service of FastAPI as its tutorial writes one: it knows nothing of agents, and no line of it is changed."""

import os
from collections.abc import Iterator
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

app = FastAPI()


class Order(BaseModel):
    order: str


@app.post("/refunds")
def refund(order: Order) -> StreamingResponse:
    """Pays the price of an order back."""

    def parts() -> Iterator[str]:
        yield f"Order {order.order} "
        with Path(os.environ.get("LEDGER", "/tmp/ledger.txt")).open("a") as ledger:
            ledger.write(f"{order.order}\n")
        yield "is refunded."

    return StreamingResponse(parts(), media_type="text/plain")

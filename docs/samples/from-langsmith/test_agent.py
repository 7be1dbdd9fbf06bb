import asyncio

import pytest
from svc.testing import TestAgent

from svc_agent import Agent


@pytest.mark.parametrize(("answer", "paid"), [("yes", True), ("no", False)])
def test_a_person_decides(answer: str, paid: bool) -> None:
    done = asyncio.run(TestAgent(Agent, answer=answer).invoke("run", order="A-1042"))
    assert done.result == {"order": "A-1042", "amount": 240, "paid": paid}

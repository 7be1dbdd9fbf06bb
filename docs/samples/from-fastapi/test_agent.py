import asyncio

import pytest
from svc import SkillInvocationError
from svc.testing import TestAgent

from svc_agent import Agent


def test_operations_are_skills() -> None:
    async def story() -> None:
        agent = TestAgent(Agent)
        placed = (await agent.invoke("place_order", item="tea", cups=2)).result
        assert placed == {"id": "o-1", "item": "tea", "cups": 2}
        assert (await agent.invoke("list_orders", item="tea")).result == [placed]
        assert (await agent.invoke("list_orders", item="coffee")).result == []
        assert (await agent.invoke("cancel_order", order_id="o-1")).result == placed
        with pytest.raises(SkillInvocationError, match="There is no order o-1"):
            await agent.invoke("cancel_order", order_id="o-1")

    asyncio.run(story())

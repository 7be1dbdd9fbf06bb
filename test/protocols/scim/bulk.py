"""Sends bulk requests with scim2-client (Apache-2.0), which checks every answer, and prints what came of them as JSON: bulk.py URL TOKEN."""

import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_models import (
    BulkOperation,
    BulkRequest,
    EnterpriseUser,
    Error,
    Group,
    GroupMember,
    Manager,
    PatchOp,
    PatchOperation,
    User,
)

url, token = sys.argv[1:3]
scim = SyncSCIMClient(Client(base_url=url, headers={"Authorization": f"Bearer {token}"}))
scim.discover()
Person, Team = User[EnterpriseUser], Group


def person(name, manager):
    made = Person(user_name=name)
    made[EnterpriseUser] = EnterpriseUser(manager=Manager(value=f"bulkId:{manager}"))
    return BulkOperation[Person](method="POST", path="/Users", bulk_id=name, data=made)


def said(one):
    return f"{one.status} {one.response.scim_type}" if isinstance(one.response, Error) else str(one.status)


members = [GroupMember(value="bulkId:bulk-ada"), GroupMember(value="bulkId:bulk-bob")]
team = BulkOperation[Team](method="POST", path="/Groups", bulk_id="team", data=Team(display_name="Bulk", members=members))
first = scim.bulk(BulkRequest[Person | Team](operations=[team, person("bulk-ada", "bulk-bob"), person("bulk-bob", "bulk-ada")]))
group_id, ada_id, bob_id = [one.location.rsplit("/", 1)[-1] for one in first.operations]
ada, bob, group = scim.query(Person, ada_id), scim.query(Person, bob_id), scim.query(Team, group_id)
patch = PatchOp[Person](operations=[PatchOperation[Person](op="replace", path="title", value="Countess")])
second = scim.bulk(
    BulkRequest[Person | Team](
        operations=[
            BulkOperation[Person](method="PATCH", path=f"/Users/{ada_id}", data=patch),
            BulkOperation[Team](method="DELETE", path="/Groups/nothing"),
            BulkOperation[Person](method="POST", path="/Users", bulk_id="twice", data=Person(user_name="bulk-bob")),
            BulkOperation[Person](method="DELETE", path=f"/Users/{bob_id}"),
        ]
    )
)
print(
    json.dumps(
        {
            "made": [said(one) for one in first.operations],
            "manager_of_each_other": [ada[EnterpriseUser].manager.value, bob[EnterpriseUser].manager.value] == [bob_id, ada_id],
            "members": len(group.members),
            "later": [said(one) for one in second.operations],
        }
    )
)

"""Runs scim2-tester (Apache-2.0) on an address and prints every result that is no success as JSON: tester.py URL TOKEN."""

import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

url, token = sys.argv[1:3]
scim = SyncSCIMClient(Client(base_url=url, headers={"Authorization": f"Bearer {token}"}))
results = check_server(scim)
good = {Status.SUCCESS, Status.COMPLIANT, Status.ACCEPTABLE}
bad = [{"status": one.status.name, "check": one.title, "of": one.resource_type, "reason": one.reason} for one in results if one.status not in good]
print(json.dumps({"checked": len(results), "reported": bad}))

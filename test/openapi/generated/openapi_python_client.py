"""The client that openapi-python-client makes."""

import json
import os

from client import AuthenticatedClient
from client.api.agents import (
    agents_create_integration_link,
    agents_integration_links,
    agents_list,
    agents_mine_summary,
    agents_revoke_integration_link,
    agents_search,
    agents_set_visibility,
)
from client.api.auth import auth_me
from client.api.credits_ import credits_wallet
from client.api.files import files_list
from client.models import AgentIntegrationLinkCreateIn, AgentVisibilityIn, Visibility

agent = os.environ["AGENT"]
api = AuthenticatedClient(base_url=os.environ["BASE"], token=os.environ["TOKEN"])

me = auth_me.sync(client=api)
listed = agents_list.sync(client=api, limit=5)
search = agents_search.sync(client=api, q=agent)
summary = agents_mine_summary.sync(client=api)
shown = agents_set_visibility.sync(agent, client=api, body=AgentVisibilityIn(visibility=Visibility.PUBLIC))
made = agents_create_integration_link.sync(agent, client=api, body=AgentIntegrationLinkCreateIn(label="generated"))
links = agents_integration_links.sync(agent, client=api)
revoked = agents_revoke_integration_link.sync_detailed(agent, made.link_id, client=api)
files = files_list.sync(client=api, limit=5)
wallet = credits_wallet.sync(client=api)
missing = agents_integration_links.sync("nobody", client=api)

print(
    json.dumps(
        {
            "me": me.email,
            "list": [one.name for one in listed],
            "search": [one.name for one in search],
            "summary": [one.name for one in summary],
            "visibility": shown.visibility.value,
            "made": made.label,
            "links": [one.label for one in links],
            "revoked": revoked.status_code.value,
            "files": len(files.items),
            "credits": wallet.available_micros,
            "missing": missing.detail.code,
        }
    )
)

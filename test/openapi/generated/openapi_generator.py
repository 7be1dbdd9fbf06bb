"""The client that openapi-generator makes for Python."""

import json
import os

import openapi_client
from openapi_client.exceptions import NotFoundException

agent = os.environ["AGENT"]
configuration = openapi_client.Configuration(host=os.environ["BASE"], access_token=os.environ["TOKEN"])

with openapi_client.ApiClient(configuration) as api:
    agents = openapi_client.AgentsApi(api)
    me = openapi_client.AuthApi(api).auth_me()
    listed = agents.agents_list(limit=5)
    search = agents.agents_search(q=agent)
    summary = agents.agents_mine_summary()
    shown = agents.agents_set_visibility(agent, openapi_client.AgentVisibilityIn(visibility="public"))
    made = agents.agents_create_integration_link(agent, openapi_client.AgentIntegrationLinkCreateIn(label="generated"))
    links = agents.agents_integration_links(agent)
    revoked = agents.agents_revoke_integration_link_with_http_info(agent, made.link_id)
    files = openapi_client.FilesApi(api).files_list(limit=5)
    wallet = openapi_client.CreditsApi(api).credits_wallet()
    try:
        agents.agents_integration_links("nobody")
        missing = None
    except NotFoundException as error:
        missing = json.loads(error.body)["detail"]["code"]

print(
    json.dumps(
        {
            "me": me.email,
            "list": [one.name for one in listed],
            "search": [one.name for one in search],
            "summary": [one.name for one in summary],
            "visibility": shown.visibility,
            "made": made.label,
            "links": [one.label for one in links],
            "revoked": revoked.status_code,
            "files": len(files.items),
            "credits": wallet.available_micros,
            "missing": missing,
        }
    )
)

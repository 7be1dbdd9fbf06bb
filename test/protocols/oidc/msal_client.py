"""A public client that signs a person in by MSAL, as its documentation shows it for OpenID Connect: msal_client.py ISSUER CLIENT_ID REDIRECT_URI."""

import json
import sys
from urllib.parse import parse_qsl, urlsplit

import msal

issuer, client_id, redirect_uri = sys.argv[1:4]
app = msal.PublicClientApplication(client_id, oidc_authority=issuer)
flow = app.initiate_auth_code_flow(["email"], redirect_uri=redirect_uri)
print(flow["auth_uri"], flush=True)
answer = dict(parse_qsl(urlsplit(sys.stdin.readline().strip()).query))
first = app.acquire_token_by_auth_code_flow(flow, answer)
[account] = app.get_accounts() or [None]
cached = app.acquire_token_silent(["email"], account) or {}
renewed = app.acquire_token_silent(["email"], account, force_refresh=True) or {}
again = app.acquire_token_silent(["email"], account, force_refresh=True) or {}
print(
    json.dumps(
        {
            "id_token": first.get("id_token_claims"),
            "error": first.get("error_description") or renewed.get("error_description"),
            "token_type": first.get("token_type"),
            "cached": cached.get("access_token") == first.get("access_token"),
            "renewed": renewed.get("access_token") not in (None, first.get("access_token")),
            "other": again.get("access_token") not in (None, renewed.get("access_token")),
        }
    ),
    flush=True,
)

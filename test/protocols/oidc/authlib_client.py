"""An application in Flask that signs people in by Authlib, as its documentation shows it: authlib_client.py ISSUER CLIENT_ID REDIRECT_URI SIGNED_OUT_URI."""

import json
import sys
from urllib.parse import urlsplit

from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify

issuer, client_id, redirect_uri, signed_out_uri = sys.argv[1:5]
app = Flask(__name__)
app.secret_key = "the secret of the session"
oauth = OAuth(app)
oauth.register(
    "svc",
    client_id=client_id,
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid email profile", "code_challenge_method": "S256", "token_endpoint_auth_method": "none"},
)
kept = {}


@app.route("/login")
def login():
    return oauth.svc.authorize_redirect(redirect_uri)


@app.route("/callback")
def callback():
    token = oauth.svc.authorize_access_token()
    kept.update(token)
    return jsonify(id_token=token["userinfo"], userinfo=oauth.svc.userinfo(token=token))


@app.route("/renew")
def renew():
    token = oauth.svc.fetch_access_token(grant_type="refresh_token", refresh_token=kept["refresh_token"])
    return jsonify(oauth.svc.userinfo(token=token))


@app.route("/logout")
def logout():
    return oauth.svc.logout_redirect(post_logout_redirect_uri=signed_out_uri, id_token_hint=kept["id_token"])


@app.route("/signed-out")
def signed_out():
    return jsonify(oauth.svc.validate_logout_response()["post_logout_redirect_uri"])


def opened(address):
    """Prints where the browser is sent; the query with which it comes back."""
    print(address, flush=True)
    return urlsplit(sys.stdin.readline().strip()).query


visitor = app.test_client()
query = opened(visitor.get("/login").location)
found = visitor.get(f"/callback?{query}").get_json()
renewed = visitor.get("/renew").get_json()
query = opened(visitor.get("/logout").location)
print(json.dumps({**found, "renewed": renewed, "signed_out_from": visitor.get(f"/signed-out?{query}").get_json()}), flush=True)

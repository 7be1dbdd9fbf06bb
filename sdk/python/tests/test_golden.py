"""The vectors every language must reproduce byte for byte."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from svc import (
    AgentEvent,
    ArtifactRef,
    GrantInvalid,
    NoAuth,
    RunContext,
    a2a_http,
    canonical,
    canonical_json,
    canonical_sha256,
    discovery,
    fetch,
    grant,
    patterns,
    traces,
)
from svc import errors as named
from svc.context import Log
from svc.declare import declare
from svc.grant import Grant, grant_key_of, mint_grant, sign_grant, verify_grant
from svc.patterns import is_path, is_pattern, is_prefix, is_under, matches_any
from svc.worker import connection, run, session
from svc.worker.connection import WorkerConnection
from svc.worker.host import AgentHost
from svc.worker.session import WorkerSession

from .agents.golden import Golden
from .agents.parrot import Parrot

FOLDER = Path(os.environ.get("SVC_GOLDEN", Path(__file__).parents[2] / "golden"))


def vectors(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


GRANTS = vectors("grant.json")
PATTERNS = vectors("patterns.json")
SECRET = base64.urlsafe_b64decode(GRANTS["platform_secret"] + "=")


@pytest.mark.parametrize("vector", vectors("canonical.json"), ids=lambda vector: vector["canonical"][:40])
def test_canonical_json(vector: dict[str, Any]) -> None:
    assert canonical_json(vector["value"]) == vector["canonical"]
    assert canonical_sha256(vector["value"]) == vector["sha256"]


def test_limits() -> None:
    assert vectors("limits.json") == {
        "grant_ttl_seconds": grant.GRANT_TTL_SECONDS,
        "grant_leeway_seconds": grant._LEEWAY_SECONDS,
        "grant_token_length": grant._MAX_TOKEN_LENGTH,
        "grant_patterns": grant._MAX_PATTERNS,
        "path_length": patterns._MAX_PATH,
        "pattern_length": patterns._MAX_PATTERN,
        "canonical_depth": canonical._MAX_DEPTH,
        "frame_length": connection.MAX_FRAME_LENGTH,
        "unacknowledged_events": run._MAX_UNACKNOWLEDGED,
        "health_reason_length": session._MAX_REASON,
        "trace_length": traces._MAX_LENGTH,
        "answer_length": fetch.MAX_ANSWER_LENGTH,
        "answer_events": a2a_http._MAX_EVENTS,
        "discovery_bytes": discovery._MAX_BYTES,
        "discovery_pages": discovery._MAX_PAGES,
    }


def test_card() -> None:
    assert canonical_json(declare(Golden).card) == canonical_json(vectors("card.json"))


def test_keys_of_audiences() -> None:
    for vector in GRANTS["keys"]:
        assert base64.urlsafe_b64decode(vector["key"] + "=") == grant_key_of(SECRET, vector["audience"])


@pytest.mark.parametrize("vector", GRANTS["tokens"], ids=lambda vector: vector["about"])
def test_minted_grants(vector: dict[str, Any]) -> None:
    key = grant_key_of(SECRET, vector["mint"]["audience"])
    grant, token = mint_grant(**vector["mint"], secret=key)
    assert grant.model_dump(mode="json") == vector["grant"]
    assert canonical_json(vector["grant"]) == vector["canonical"]
    assert token == vector["token"] == sign_grant(Grant.model_validate(vector["grant"]), key)
    assert verify_grant(token, key, audience=grant.audience, now=GRANTS["now"]) == grant


@pytest.mark.parametrize("vector", GRANTS["refused"], ids=lambda vector: vector["about"])
def test_refused_grants(vector: dict[str, Any]) -> None:
    key = grant_key_of(SECRET, vector["audience"])
    with pytest.raises(GrantInvalid, match=r"^the grant is not valid here$"):
        verify_grant(vector["token"], key, audience=vector["audience"], now=vector["now"])


def test_patterns() -> None:
    for vector in PATTERNS["paths"]:
        assert is_path(vector["path"]) is vector["valid"], vector
    for vector in PATTERNS["patterns"]:
        assert is_pattern(vector["pattern"]) is vector["valid"], vector
    for vector in PATTERNS["prefixes"]:
        assert is_prefix(vector["prefix"]) is vector["valid"], vector
    for vector in PATTERNS["matches"]:
        assert matches_any(vector["patterns"], vector["path"]) is vector["matches"], vector
    for vector in PATTERNS["under"]:
        assert is_under(vector["prefix"], vector["path"]) is vector["under"], vector


@pytest.mark.parametrize("vector", vectors("errors.json"), ids=lambda vector: vector["name"])
def test_errors(vector: dict[str, Any]) -> None:
    error = named.from_wire(vector["error"])
    assert type(error).__name__ == vector["name"]
    assert error.to_wire() == vector["error"]


class Recorder:
    deadline = None

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    async def emit(self, kind: str, payload: Any) -> None:
        self.events.append({"kind": kind, "payload": dict(payload)})

    async def call(self, method: str, params: Any) -> Any:
        raise AssertionError(method)

    def check_cancelled(self) -> None:
        return None

    def secret(self, name: str) -> str:
        return name

    def write_log(self, level: Any, message: str, fields: Any) -> None:
        return None


@pytest.mark.parametrize("vector", vectors("events.json"), ids=lambda vector: json.dumps(vector["args"])[:40])
def test_events(vector: dict[str, Any]) -> None:
    bridge = Recorder()
    ctx = RunContext(bridge, run_id="r", request_id="q", skill="s", auth=NoAuth())
    assert isinstance(ctx.log, Log)
    args = dict(vector["args"])
    if "artifact" in args:
        args["artifact"] = ArtifactRef.model_validate(args["artifact"])
    if "event" in args:
        args["event"] = AgentEvent.model_validate(args["event"])
    if vector["event"] is None:
        with pytest.raises(ValueError, match=r"kind|runtime only"):
            asyncio.run(getattr(ctx, vector["method"])(**args))
    else:
        asyncio.run(getattr(ctx, vector["method"])(**args))
        assert canonical_json(bridge.events) == canonical_json([vector["event"]])


class Asked(Recorder):
    async def call(self, method: str, params: Any) -> Any:
        self.events.append({"kind": method, "payload": dict(params)})
        return "said"


def test_the_name_of_a_question_goes_to_the_runtime() -> None:
    bridge = Asked()
    ctx = RunContext(bridge, run_id="r", request_id="q", skill="s", auth=NoAuth())
    assert asyncio.run(ctx.ask("Who?", 5, name="user_name")) == "said"
    asyncio.run(ctx.ask("Who?", 5))
    assert [event["payload"] for event in bridge.events] == [
        {"prompt": "Who?", "timeout": 5, "name": "user_name"},
        {"prompt": "Who?", "timeout": 5},
    ]


def test_conversation() -> None:
    asyncio.run(asyncio.wait_for(_converse(), 10))


async def _converse() -> None:
    """A real connection over loopback, so that parsing and writing are part of it."""
    host = AgentHost(Parrot)
    sessions: list[WorkerSession] = []

    def opened(connection: WorkerConnection) -> WorkerSession:
        sessions.append(WorkerSession(host, connection, sessions.remove))
        return sessions[-1]

    server = await asyncio.get_running_loop().create_server(lambda: WorkerConnection(opened), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
    writer.write(b"GET /worker HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: svc-worker/1\r\n\r\n")
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
    for turn in vectors("worker.json"):
        if turn["runtime"] is not None:
            writer.write(canonical_json(turn["runtime"]).encode() + b"\n")
        for expected in turn["worker"]:
            said = json.loads(await reader.readline())
            if expected["t"] == "hello":
                said = {**said, "language": "*", "sdk": "*"}
            assert canonical_json(said) == canonical_json(expected)
        if turn["runtime"] is not None and turn["runtime"]["t"] == "invoke" and not turn["worker"]:
            # Begun, and waiting: else the cancellation would come before the handler.
            while not any(session.running for session in sessions):  # noqa: ASYNC110 (the next turn of the loop)
                await asyncio.sleep(0)
            await asyncio.sleep(0)
    assert host.secrets == {"WORD": "jack"}
    assert host.ended.is_set()
    writer.close()
    server.close()
    await server.wait_closed()


def loose_forms(text: str) -> list[str]:
    """Other texts that lenient decoders read as the same bytes."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    spare = {2: 15, 3: 3}.get(len(text) % 4, 0)
    last = alphabet.index(text[-1])
    stray = [text[:-1] + alphabet[(last & ~spare) | ((last + 1 + n) & spare)] for n in range(spare)]
    forms = [text + "=", text + "==", " " + text, text + "\n", text.replace("-", "+").replace("_", "/"), *stray]
    return [form for form in forms if form != text]


@pytest.mark.parametrize("vector", GRANTS["tokens"], ids=lambda vector: vector["about"])
def test_a_grant_has_one_text(vector: dict[str, Any]) -> None:
    key = grant_key_of(SECRET, vector["mint"]["audience"])
    payload, signature = vector["token"].split(".")
    now = vector["grant"]["issued_at"]
    assert verify_grant(vector["token"], key, now=now)
    for form in [*(f"{loose}.{signature}" for loose in loose_forms(payload)), *(f"{payload}.{loose}" for loose in loose_forms(signature))]:
        with pytest.raises(GrantInvalid):
            verify_grant(form, key, now=now)


def test_any_secret_signs_and_verifies_but_an_empty_one() -> None:
    given: Any = {"issuer": "ada", "audience": "greeter", "bucket": "usr:1", "mode": "read_only"}
    for secret in ("dev-secret", b"\x01" * 5, "ü" * 100):
        grant, token = mint_grant(**given, secret=secret)
        assert verify_grant(token, secret) == grant
    # The same bytes as in TypeScript: sdk/typescript/authoring/grants.test.ts.
    _, token = mint_grant(**given, secret="dev-secret", grant_id="grt_1", issued_at=1, nonce="nonce-nonce")
    assert token.split(".")[1] == "lYfwePZSRlR2xNVuLjbmQhp3o3_OHAsUEJodYqoftN8"
    junk: Any
    key: Any
    for junk, key in ((token, ""), (token, b""), (token, "other"), (None, "dev-secret"), (token, None), (7, 7)):
        with pytest.raises(GrantInvalid):
            verify_grant(junk, key)
    for empty in ("", b""):
        with pytest.raises(ValueError, match="empty"):
            mint_grant(**given, secret=empty)

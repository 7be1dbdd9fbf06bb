"""Grants and their tokens: ``base64url(canonical JSON) "." base64url(HMAC-SHA256)``, byte for byte those of the other languages."""

from __future__ import annotations

import base64
import hmac
import json
import secrets as random
import time
import uuid
from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictInt, StrictStr

from .canonical import canonical_json
from .errors import GrantInvalid
from .patterns import is_pattern, is_prefix
from .policies import WorkspaceMode

GRANT_TTL_SECONDS = 300
_MAX_TOKEN_LENGTH = 12_288
_MAX_PATTERNS = 64
_KEY_BYTES = 32
_LEEWAY_SECONDS = 30

_Name = Annotated[StrictStr, Field(min_length=1, max_length=256)]
_Seconds = Annotated[StrictInt, Field(ge=0)]


def _pattern(text: str) -> str:
    if not is_pattern(text):
        raise ValueError("not a path pattern")
    return text


def _folder(text: str) -> str:
    if not is_prefix(text):
        raise ValueError("not a folder to write into")
    return text


_Patterns = Annotated[tuple[Annotated[_Name, AfterValidator(_pattern)], ...], Field(max_length=_MAX_PATTERNS)]
_Folder = Annotated[StrictStr, AfterValidator(_folder)]


class Grant(BaseModel):
    """Who may do what in which workspace, and until when (epoch seconds)."""

    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")

    grant_id: Annotated[StrictStr, Field(min_length=1, max_length=128)]
    issuer: _Name
    audience: _Name
    bucket: _Name
    mode: WorkspaceMode
    allow_patterns: _Patterns = ("**",)
    deny_patterns: _Patterns = ()
    outputs_prefix: _Folder | None = None
    expires_at: _Seconds = 0
    issued_at: _Seconds = 0
    nonce: Annotated[StrictStr, Field(min_length=8, max_length=128)] = Field(default_factory=lambda: random.token_urlsafe(16))


def grant_key_of(platform_secret: bytes, audience: str) -> bytes:
    """The key of one audience: HKDF-SHA256 of the platform's secret (RFC 5869), 32 bytes."""
    pseudo_random_key = hmac.digest(b"svc/grant/v1", platform_secret, "sha256")
    return hmac.digest(pseudo_random_key, audience.encode() + b"\x01", "sha256")


def mint_grant(
    issuer: str,
    audience: str,
    bucket: str,
    mode: WorkspaceMode,
    allow_patterns: Iterable[str] = ("**",),
    deny_patterns: Iterable[str] = (),
    outputs_prefix: str | None = None,
    ttl_seconds: int = GRANT_TTL_SECONDS,
    *,
    secret: bytes | str,
    grant_id: str | None = None,
    issued_at: int | None = None,
    nonce: str | None = None,
) -> tuple[Grant, str]:
    """A new grant and its token. ``secret``: the base64url of 32 bytes, as in SVC_GRANT_KEY, or any other text or bytes. A deployed
    agent takes only those of the platform."""
    issued = int(time.time()) if issued_at is None else issued_at
    grant = Grant(
        grant_id=grant_id or f"grt_{uuid.uuid4()}",
        issuer=issuer,
        audience=audience,
        bucket=bucket,
        mode=mode,
        allow_patterns=tuple(allow_patterns),
        deny_patterns=tuple(deny_patterns),
        outputs_prefix=outputs_prefix,
        issued_at=issued,
        expires_at=issued + ttl_seconds,
        nonce=nonce or random.token_urlsafe(16),
    )
    return grant, sign_grant(grant, secret)


def sign_grant(grant: Grant, secret: bytes | str) -> str:
    """Raises ValueError for a grant too large to travel in a header."""
    payload = _encode(_text(grant).encode())
    token = f"{payload}.{_encode(_mac(payload, secret))}"
    if len(token) > _MAX_TOKEN_LENGTH:
        raise ValueError(f"the grant does not fit a token of {_MAX_TOKEN_LENGTH} characters: use fewer or shorter patterns")
    return token


def verify_grant(token: str, secret: bytes | str, *, audience: str | None = None, now: float | None = None) -> Grant:
    """The grant a token carries. Raises GrantInvalid for a wrong signature, one that expired, junk, another audience or secret."""
    try:
        return _check(token, secret, audience, time.time() if now is None else now)
    except Exception:
        raise GrantInvalid() from None


def unchecked_grant_id(token: str) -> str | None:
    """What a token says its id is, unverified: for its sender, who has no key. None for junk."""
    try:
        found = json.loads(_decode(token.partition(".")[0]))
        return str(found["grant_id"])
    except (ValueError, UnicodeError, RecursionError, KeyError, TypeError):
        return None


def _check(token: str, secret: bytes | str, audience: str | None, now: float) -> Grant:
    if len(token) > _MAX_TOKEN_LENGTH:
        raise GrantInvalid()
    payload, signature = token.split(".")
    if not payload or not hmac.compare_digest(_decode(signature), _mac(payload, secret)):
        raise GrantInvalid()
    text = _decode(payload).decode()
    grant = Grant.model_validate(json.loads(text))
    # Only the canonical text of a whole grant: nothing left to defaults, said twice, or written in another way.
    if _text(grant) != text:
        raise GrantInvalid()
    in_time = grant.expires_at > now and grant.issued_at <= now + _LEEWAY_SECONDS
    if not in_time or audience not in (None, grant.audience):
        raise GrantInvalid()
    return grant


def _text(grant: Grant) -> str:
    return canonical_json(grant.model_dump(mode="json"))


def _mac(payload: str, secret: bytes | str) -> bytes:
    key = _key_of(secret) if isinstance(secret, str) else secret
    # An empty key, for example from an unset variable, would let anyone sign.
    if not key:
        raise ValueError("the secret of grants is empty: set it")
    return hmac.digest(key, payload.encode(), "sha256")


def _key_of(secret: str) -> bytes:
    try:
        key = _decode(secret)
    except ValueError:
        key = b""
    return key if len(key) == _KEY_BYTES else secret.encode()


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _decode(text: str) -> bytes:
    """Strict: the one canonical encoding, without padding."""
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if _encode(data) != text:
        raise ValueError("not canonical base64url")
    return data

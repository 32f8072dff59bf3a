"""Who may reach the HTTP server: the rules, settled before it listens (DEV_SPEC 3.3.1.1, DESIGN 7).

Loopback is open to the machine's own user. Any other address needs a bearer token and the names
under which clients reach the server; without them it refuses to start.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from limits import RateLimitItem, parse_many

from rag_query.contracts.errors import ErrorCode, ExcerptaError

TOKEN_VARIABLE = "EXCERPTA_HTTP_TOKEN"
#: Requests of one client address. An agent's burst stays below it, a runaway loop does not.
DEFAULT_RATE = "6000/minute"
_LEAST_TOKEN = 16
#: What a URL may hold besides host and port.
_NO_ADDRESS = re.compile(r"[/?#@\\\s]")
#: As a ``Host`` header holds it (RFC 9110 7.2): a name or an address, and perhaps a port.
_NAME = re.compile(
    r"(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?", re.ASCII | re.IGNORECASE
)
_LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class Access:
    """The rules of one server.

    Attributes:
        host: the address it listens on.
        port: 0 means any that is free.
        token: what clients send as ``Authorization: Bearer …``; None where none is asked for.
        names: host names (lower case, without port) that ``Host`` and ``Origin`` may hold.
        rate: how many requests one client address may send.
    """

    host: str
    port: int
    token: str | None
    names: frozenset[str]
    rate: RateLimitItem

    def knows_host(self, host: str) -> bool:
        """Whether a ``Host`` header names this server. Defends against DNS rebinding."""
        return _name_of(f"//{host}") in self.names

    def knows_origin(self, origin: str, host: str) -> bool:
        """Whether an ``Origin`` header is a page of this server itself.

        That is a page under the name and port of the request's ``Host``. Other ports are other
        programs. A proxy may have replaced ``Host``, so a site of ``--allowed-host`` at the
        port of its scheme counts too; on loopback names others listen there.
        """
        for scheme, port in (("http://", 80), ("https://", 443)):
            if origin.startswith(scheme):
                page = _authority(origin, port)
                sites = {(name, port) for name in self.names - _LOOPBACK_NAMES}
                return page is not None and page in {_authority(f"//{host}", port), *sites}
        return False

    def accepts_bearer(self, authorization: str) -> bool:
        """Whether an ``Authorization`` header holds the token (constant time)."""
        scheme, _, given = authorization.partition(" ")
        if self.token is None:
            return True
        return scheme.lower() == "bearer" and _same(given.strip(), self.token)

    def accepts_token(self, given: str) -> bool:
        """Whether a person typed the token (constant time)."""
        return self.token is None or _same(given.strip(), self.token)

    def accepts_cookie(self, given: str) -> bool:
        """Whether a browser's cookie is one that a login made."""
        return self.token is None or _same(given, self.cookie())

    def cookie(self) -> str:
        """What a browser keeps after a login: made from the token, useless for finding it."""
        return hmac.new(
            (self.token or "").encode(), b"excerpta console", hashlib.sha256
        ).hexdigest()


def settle_access(
    address: str,
    *,
    allowed_hosts: list[str] | None = None,
    token_file: Path | None = None,
    rate: str = DEFAULT_RATE,
) -> Access:
    """The rules for ``HOST:PORT``; the token comes from a file or ``EXCERPTA_HTTP_TOKEN``.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` for an address, name, token or rate that cannot be;
            ``INSECURE_ADDRESS`` for an address outside loopback without a token or names.
    """
    host, port = _split(address)
    token = _read_token(token_file)
    names = {_checked_name(name) for name in allowed_hosts or []}
    if _is_loopback(host):
        names |= _LOOPBACK_NAMES
    elif token is None or not names:
        raise ExcerptaError(
            ErrorCode.INSECURE_ADDRESS,
            f"{host} can be reached from other machines, so a token and allowed hosts are needed.",
            hint=f"Set {TOKEN_VARIABLE} (or --token-file) and name each host name clients use "
            "with --allowed-host; or listen on 127.0.0.1.",
        )
    return Access(host, port, token, frozenset(names), _checked_rate(rate))


def _checked_rate(rate: str) -> RateLimitItem:
    try:
        limits = parse_many(rate)
    except ValueError:
        limits = []
    if len(limits) != 1 or limits[0].amount < 1:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"{rate!r} is not a rate.",
            hint="Write a number and a span, such as 6000/minute or 50/second.",
        )
    return limits[0]


def _split(address: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or port is None or _NO_ADDRESS.search(address):
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"{address!r} is not an address.",
            hint="Write HOST:PORT, such as 127.0.0.1:8765 ([::1]:8765 for IPv6; port 0: any free).",
        )
    return host, port


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _checked_name(name: str) -> str:
    found = _name_of(f"//{name}") if _NAME.fullmatch(name) else None
    if not found:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"{name!r} is not a host name.",
            hint="Name a host as clients do, such as library.example.org; wildcards are not taken.",
        )
    return found


def _name_of(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _authority(url: str, port: int) -> tuple[str, int] | None:
    """Name and port, ``port`` where none is said."""
    try:
        parts = urlsplit(url)
        return (
            (parts.hostname, port if parts.port is None else parts.port) if parts.hostname else None
        )
    except ValueError:
        return None


def _read_token(token_file: Path | None) -> str | None:
    if token_file is not None:
        try:
            token = token_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as exc:
            raise ExcerptaError(
                ErrorCode.INVALID_ARGUMENT,
                f"The token file {token_file.name!r} cannot be read.",
                hint="--token-file names a text file that holds the token and nothing else.",
            ) from exc
    else:
        token = os.environ.get(TOKEN_VARIABLE, "").strip()
        if not token:
            return None
    if len(token) < _LEAST_TOKEN or not token.isascii() or any(c.isspace() for c in token):
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"The token must be at least {_LEAST_TOKEN} ASCII characters without spaces.",
            hint="Make one with: python -c 'import secrets; print(secrets.token_urlsafe(32))'",
        )
    return token


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())

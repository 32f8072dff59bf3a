"""Images from the web, within limits (DESIGN 7, DEV_SPEC 3.6.7).

Only http and https are asked, and only public addresses: a host's addresses are looked up once,
all of them are checked, and the connection goes to one that was checked, so that a name which
changes its mind in between gains nothing. Every redirect is checked anew. One deadline covers
look-up, connection and the last byte. No proxy, cookie or password is ever used.
"""

from __future__ import annotations

import http.client
import ipaddress
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from rag_query import __version__
from rag_query.contracts.errors import ErrorCode, ExcerptaError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
#: host, port -> addresses as text; raises OSError.
Resolve = Callable[[str, int], Sequence[str]]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: HTTP statuses below 500 that may pass, so that a later run asks again.
_PASSING = frozenset({408, 425, 429})
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
#: Addresses of a network's own equipment or of a cloud's host, which Python's list of private
#: networks lacks in some versions: IETF protocols (RFC 6890), relays of 6to4 (RFC 7526),
#: documentation (RFC 9637), Azure's wire server.
_NOT_PUBLIC: tuple[Network, ...] = tuple(
    ipaddress.ip_network(network)
    for network in ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20", "168.63.129.16/32")
)
_SAFE = "/%:@!$&'()*+,;=~-._?"
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class RemoteLimits:
    """What a fetch may cost.

    Attributes:
        max_bytes: of one image.
        timeout_s: for one image, redirects included.
        max_redirects: followed.
        types: media types a server may name; what came is looked at as well.
        networks: private networks that may be asked all the same.
    """

    max_bytes: int
    timeout_s: float
    max_redirects: int
    types: frozenset[str]
    networks: tuple[Network, ...] = ()


def is_remote(origin: str) -> bool:
    """Whether a reference names something on the web."""
    return re.match(r"(?:https?:)?//", origin, re.IGNORECASE) is not None


class RemoteImages:
    """Fetches images.

    Args:
        budget_s: for all of them together.
        resolve: looks addresses up.
    """

    def __init__(
        self, limits: RemoteLimits, budget_s: float, resolve: Resolve | None = None
    ) -> None:
        self._limits = limits
        self._left = budget_s
        self._resolve = resolve or _look_up

    def fetch(self, url: str) -> tuple[bytes, str]:
        """Bytes of an image and the media type the server named.

        Raises:
            ExcerptaError: ``REMOTE_REFUSED`` for an address, type or redirect that is not
                allowed; ``FILE_TOO_LARGE``; ``ASSET_NOT_FOUND`` when the server has no such
                image; ``REMOTE_UNAVAILABLE``, transient, when it may have one later.
        """
        allowed = min(self._limits.timeout_s, self._left)
        if allowed <= 0:
            raise _unavailable("The document's time for remote images is used up")
        began = time.monotonic()
        try:
            return self._follow(f"https:{url}" if url.startswith("//") else url, began + allowed)
        finally:
            self._left -= time.monotonic() - began

    def _follow(self, url: str, end: float) -> tuple[bytes, str]:
        for _ in range(self._limits.max_redirects + 1):
            found = self._get(url, end)
            if not isinstance(found, str):
                return found
            try:
                url = urljoin(url, found)
            except ValueError as exc:
                raise _refused("The image's address redirects to no valid URL") from exc
        raise _refused("The image's address redirects too often")

    def _get(self, url: str, end: float) -> tuple[bytes, str] | str:
        """The image, or where it has moved."""
        target = _Target.of(url)
        address = self._checked(target, end)
        connection = _Connection(target, address, end)
        try:
            return self._answer(connection, target)
        except (OSError, http.client.HTTPException) as exc:
            if connection.expired or isinstance(exc, TimeoutError):
                raise _unavailable("The image's server took too long") from exc
            raise _unavailable(f"The image's server failed ({type(exc).__name__})") from exc
        finally:
            connection.finish()

    def _checked(self, target: _Target, end: float) -> str:
        """An address of the host; all of them must be allowed."""
        try:
            found = [ipaddress.ip_address(a) for a in self._resolve(target.host, target.port)]
        except (OSError, ValueError) as exc:
            raise _unavailable("The image's host is not known") from exc
        if time.monotonic() > end:
            raise _unavailable("The image's server took too long")
        if not found:
            raise _unavailable("The image's host is not known")
        for address in found:
            if not (is_public(address) or any(address in n for n in self._limits.networks)):
                raise _refused("The image's host is not on the public internet")
        return str(found[0])

    def _answer(self, connection: _Connection, target: _Target) -> tuple[bytes, str] | str:
        connection.request(
            "GET",
            target.path,
            headers={
                "Accept": "image/*",
                "Accept-Encoding": "identity",
                "User-Agent": f"excerpta/{__version__}",
            },
        )
        with connection.getresponse() as response:
            moved = response.getheader("Location")
            if response.status in _REDIRECTS and moved:
                return moved
            if response.status in _PASSING or response.status >= 500:
                raise _unavailable(f"The image's server answered {response.status}")
            if response.status != 200:
                raise ExcerptaError(
                    ErrorCode.ASSET_NOT_FOUND, f"The image's server answered {response.status}."
                )
            mime = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
            if mime and mime not in self._limits.types:
                raise _refused("The image's server names another type than an allowed image's")
            return self._body(connection, response), mime

    def _body(self, connection: _Connection, response: http.client.HTTPResponse) -> bytes:
        limit = self._limits.max_bytes
        if (response.length or 0) > limit:
            raise _too_large(limit)
        parts: list[bytes] = []
        size = 0
        while part := response.read1(_CHUNK):
            size += len(part)
            if size > limit:
                raise _too_large(limit)
            parts.append(part)
        if connection.expired:
            raise TimeoutError
        if response.length:
            raise http.client.IncompleteRead(b"")
        return b"".join(parts)


@dataclass(frozen=True, slots=True)
class _Target:
    tls: bool
    host: str
    port: int
    path: str

    @classmethod
    def of(cls, url: str) -> _Target:
        """The parts of a URL that is asked. Raises ExcerptaError ``REMOTE_REFUSED``."""
        try:
            parts = urlsplit(url.strip())
            host = (parts.hostname or "").encode("idna").decode("ascii")
            port = parts.port
            path = quote(parts.path or "/", safe=_SAFE)
            if parts.query:
                path += "?" + quote(parts.query, safe=_SAFE)
        except ValueError as exc:
            raise _refused("The image's address is no valid URL") from exc
        if parts.scheme.lower() not in ("http", "https"):
            raise _refused("Only http and https are asked for images")
        if not host or parts.username is not None or parts.password is not None:
            raise _refused("The image's address has no host, or holds a password")
        tls = parts.scheme.lower() == "https"
        return cls(tls, host, port or (443 if tls else 80), path)


class _Connection(http.client.HTTPConnection):
    """A connection to one address, for one host name, that ends at a moment."""

    def __init__(self, target: _Target, address: str, end: float) -> None:
        super().__init__(target.host, target.port)
        self._target = target
        self._address = address
        self._end = end
        self._watch: threading.Timer | None = None
        self._wire: socket.socket | None = None

    @property
    def expired(self) -> bool:
        return time.monotonic() >= self._end

    def connect(self) -> None:
        left = max(0.001, self._end - time.monotonic())
        self.sock = socket.create_connection((self._address, self._target.port), timeout=left)
        self._wire = self.sock
        # A timeout is of one read; a server that sends a byte now and then would never end.
        self._watch = threading.Timer(max(0.001, self._end - time.monotonic()), self._stop)
        self._watch.daemon = True
        self._watch.start()
        if self._target.tls:
            context = ssl.create_default_context()
            tls = context.wrap_socket(
                self.sock, server_hostname=self._target.host, do_handshake_on_connect=False
            )
            # The plain socket is detached now: what is stopped must be the other, from here on.
            self.sock = self._wire = tls
            if self.expired:
                raise TimeoutError
            tls.do_handshake()

    def finish(self) -> None:
        """Let go of everything. (The base class calls ``close`` before the body is read.)"""
        if self._watch is not None:
            self._watch.cancel()
        self.close()
        if self._wire is not None:
            self._wire.close()

    def _stop(self) -> None:
        if self._wire is not None:
            try:
                socket.socket.shutdown(self._wire, socket.SHUT_RDWR)
            except OSError:
                return  # It has ended by itself.


def is_public(address: Address) -> bool:
    """Whether an address is on the public internet, and so is every address hidden in it."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if address in _NAT64:
            inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if any(part is not None and not is_public(part) for part in inner):
            return False
        if address.ipv4_mapped is not None:
            return True
        if address.is_site_local:
            return False
    if any(address in network for network in _NOT_PUBLIC):
        return False
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not address.is_unspecified
    )


def _look_up(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))


def _refused(message: str) -> ExcerptaError:
    return ExcerptaError(ErrorCode.REMOTE_REFUSED, f"{message}.")


def _unavailable(message: str) -> ExcerptaError:
    return ExcerptaError(ErrorCode.REMOTE_UNAVAILABLE, f"{message}.", transient=True)


def _too_large(limit: int) -> ExcerptaError:
    return ExcerptaError(ErrorCode.FILE_TOO_LARGE, f"The image has more than {limit} bytes.")

"""What the generated code stands on: a token that is renewed, pages, retries, streams and problems."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timezone
from threading import Lock
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, cast

import httpx

from .types import Unset

if TYPE_CHECKING:
    from .models.bulk_result import BulkResult
    from .models.bulk_summary import BulkSummary
    from .models.problem import Problem
    from .models.resource_input import ResourceInput

P = ParamSpec("P")
T = TypeVar("T")
Item = TypeVar("Item", covariant=True)

#: A token is renewed this many seconds before it ends.
AHEAD = 60.0

_last: ContextVar[httpx.Response] = ContextVar("last")


class MusterError(Exception):
    """A request that the service refused."""

    def __init__(self, response: httpx.Response) -> None:
        from .models.problem import Problem

        self.status: int = response.status_code
        self.problem: Problem | None = None
        told = response.text[:200]
        if response.headers.get("Content-Type", "").startswith("application/problem+json"):
            self.problem = Problem.from_dict(response.json())
            told = self.problem.detail
        after = response.headers.get("Retry-After", "")
        #: Seconds after which to try again.
        self.retry_after: int | None = int(after) if after.isdigit() else None
        request = response.request
        super().__init__(f"{request.method} {request.url.path}: {self.status} {told}")

    @property
    def code(self) -> str | None:
        """A stable code, such as `0003` of what is not found."""
        return self.problem.code if self.problem else None

    @property
    def fields(self) -> dict[str, str]:
        """What is wrong with each field of the request."""
        errors = self.problem.errors if self.problem else None
        return {error.field_name: error.message for error in errors or []}

    @property
    def request_id(self) -> str | None:
        """The id of the request in the log of the service."""
        return self.problem.request_id if self.problem else None


class Unexpected(Exception):
    """An answer that the document of the interface does not have."""

    def __init__(self, response: httpx.Response) -> None:
        super().__init__(f"{response.request.method} {response.request.url.path} answered {response.status_code}")


class Page(Protocol[Item]):
    """A page of a list."""

    @property
    def results(self) -> Sequence[Item]: ...

    @property
    def next_cursor(self) -> str | Unset: ...


@dataclass(frozen=True)
class Answer(Generic[T]):
    """An answer with its version."""

    data: T
    #: The version of what was read, for `if_match`.
    etag: str
    #: Was the request carried out before, under the same idempotency key?
    replayed: bool


class Muster:
    """A caller of the service, with key and secret of an API key.

    `tenant` is the tenant of calls that name none. A request is tried again for `patience` seconds while the service asks
    for it or is away; 0 for never.
    """

    def __init__(
        self,
        url: str,
        key: str,
        secret: str,
        tenant: str | None = None,
        *,
        patience: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.tenant = tenant
        self._form = {"grant_type": "client_credentials", "client_id": key, "client_secret": secret}
        self._patience = patience
        self._http = httpx.Client(base_url=url, timeout=60.0, transport=transport)
        self._token: tuple[str, float] | None = None
        self._renewing = Lock()

    def __enter__(self) -> Muster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes its connections."""
        self._http.close()

    def tenant_of(self, tenant_id: str | None) -> str:
        """The tenant of a call."""
        found = tenant_id or self.tenant
        if not found:
            raise ValueError("no tenant: give one to the call, or to Muster(…, tenant=…)")
        return found

    def answer(self, operation: Callable[Concatenate[Muster, P], T], *args: P.args, **kwargs: P.kwargs) -> Answer[T]:
        """Calls an operation for an answer with its version: `muster.answer(sites.get_site, 7).etag`."""
        data = operation(self, *args, **kwargs)
        headers = _last.get().headers
        return Answer(data, headers.get("ETag", ""), headers.get("Idempotency-Replayed") == "true")

    def each(
        self, operation: Callable[Concatenate[Muster, P], Page[T]], *args: P.args, **kwargs: P.kwargs
    ) -> Iterator[T]:
        """All that a list has, page by page: `for site in muster.each(sites.search_sites): …`."""
        next_page = cast(Callable[..., Page[T]], operation)
        arguments: dict[str, Any] = dict(kwargs)
        while True:
            page = next_page(self, *args, **arguments)
            yield from page.results
            if isinstance(page.next_cursor, Unset):
                return
            arguments.pop("page_no", None)
            arguments["cursor"] = page.next_cursor

    def bulk(
        self,
        resources: Iterable[ResourceInput],
        *,
        dry_run: bool = False,
        atomic: bool = False,
        idempotency_key: str | None = None,
        tenant_id: str | None = None,
    ) -> Iterator[BulkResult | BulkSummary]:
        """Creates and updates resources, and says what became of each as it is done; the last one is the summary."""
        from .models.bulk_result import BulkResult
        from .models.bulk_summary import BulkSummary

        # What a sequence has can be sent again; what another iterable gave is gone.
        again = isinstance(resources, Sequence)
        headers = {"Content-Type": "application/x-ndjson"}
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        lines = self._lines(
            "POST",
            f"/api/v2/tenants/{self.tenant_of(tenant_id)}/resources/bulk",
            again,
            params={"dryRun": dry_run, "atomic": atomic},
            headers=headers,
            body=lambda: _pieces(resources),
        )
        for line in lines:
            yield BulkSummary.from_dict(line) if line["result"] == "summary" else BulkResult.from_dict(line)

    def export(self, *, query_string: str = "", state: str = "", tenant_id: str | None = None) -> Iterator[ResourceInput]:
        """All resources, as they can be imported again."""
        from .models.resource_input import ResourceInput

        asked = {"queryString": query_string, "state": state}
        path = f"/api/v2/tenants/{self.tenant_of(tenant_id)}/resources/export"
        for line in self._lines("GET", path, True, params={name: value for name, value in asked.items() if value}):
            yield ResourceInput.from_dict(line)

    def send(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        """Sends a request of the interface, and gives an answer that is not a refusal."""
        headers = kwargs.pop("headers", {})
        once = method == "POST" and path.startswith("/api/v2/tenants/")
        if once:
            headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
        response = self._send(
            lambda: self._http.build_request(method, path, headers=headers, **kwargs), once or method == "GET"
        )
        _last.set(response)
        return response

    def _lines(
        self,
        method: str,
        path: str,
        again: bool,
        *,
        params: dict[str, Any],
        headers: dict[str, str] | None = None,
        body: Callable[[], Iterator[bytes]] | None = None,
    ) -> Iterator[Any]:
        def build() -> httpx.Request:
            content = body() if body else None
            return self._http.build_request(method, path, params=params, headers=headers, content=content)

        response = self._send(build, again, refused=again, stream=True)
        try:
            for line in response.iter_lines():
                if line.strip():
                    yield json.loads(line)
        finally:
            response.close()

    def _send(
        self, build: Callable[[], httpx.Request], again: bool, *, refused: bool = True, stream: bool = False
    ) -> httpx.Response:
        for renewed in (False, True):
            token = self._bearer()

            def with_token() -> httpx.Request:
                request = build()
                request.headers["Authorization"] = f"Bearer {token}"
                return request

            response = self._patiently(with_token, again, refused, stream)
            if response.is_success:
                return response
            response.read()
            # A token may be revoked before it ends.
            if response.status_code != 401 or renewed or not refused:
                break
            self._token = None
        raise MusterError(response)

    def _bearer(self) -> str:
        with self._renewing:
            if self._token is None or self._token[1] < time.monotonic():
                asked = time.monotonic()
                build = lambda: self._http.build_request("POST", "/auth/oauth/token", data=self._form)  # noqa: E731
                response = self._patiently(build, True, True, False)
                if not response.is_success:
                    raise MusterError(response)
                found = response.json()
                self._token = (found["access_token"], asked + found["expires_in"] - AHEAD)
            return self._token[0]

    def _patiently(
        self, build: Callable[[], httpx.Request], again: bool, refused: bool, stream: bool
    ) -> httpx.Response:
        """Again after 429 and 503, as `Retry-After` says, and after a failure of the network where that does no harm."""
        until = time.monotonic() + self._patience
        pause = 0.2
        while True:
            wait = pause
            try:
                response = self._http.send(build(), stream=stream)
                after = response.headers.get("Retry-After", "")
                wait = max(pause, float(after) if after.isdigit() else 0.0)
                busy = response.status_code in (429, 503)
                if not (busy and refused) or time.monotonic() + wait > until:
                    return response
                response.close()
            except httpx.TransportError:
                if not again or time.monotonic() + wait > until:
                    raise
            time.sleep(wait)
            pause = min(pause * 2, 5.0)


def _pieces(resources: Iterable[ResourceInput]) -> Iterator[bytes]:
    """A line for each, in pieces of some size."""
    piece = bytearray()
    for resource in resources:
        piece += json.dumps(resource.to_dict()).encode() + b"\n"
        if len(piece) >= 16_384:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


def parse_time(text: str) -> datetime:
    """The instant that a time of the service stands for: `2026-11-20T20:37:00+0000`."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")


def format_time(instant: datetime) -> str:
    """An instant as the service writes it."""
    return instant.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S+0000")

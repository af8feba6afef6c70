"""The thin layer over the generated code, against answers that are made up here."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Iterator
from datetime import datetime, timezone

import httpx

from muster_client import Muster, MusterError, format_time, parse_time
from muster_client.api import resources, sites
from muster_client.models import BulkSummary, ResourceInput, SiteInput

TOKEN = {"access_token": "t", "token_type": "bearer", "expires_in": 7199, "scope": "global:manage"}
PROBLEM = {
    "type": "about:blank",
    "title": "Invalid",
    "status": 400,
    "detail": "name: is missing",
    "code": "0002",
    "message": "name: is missing",
    "requestId": "r",
    "errors": [{"code": "0002", "fieldName": "name", "message": "is missing"}],
}


def caller(answers: Iterator[Callable[[httpx.Request], httpx.Response]], seen: list[httpx.Request]) -> Muster:
    def answer(request: httpx.Request) -> httpx.Response:
        request.read()
        seen.append(request)
        if request.url.path == "/auth/oauth/token":
            return httpx.Response(200, json=TOKEN)
        return next(answers)(request)

    return Muster("http://muster.test", "k", "s", "client_1", patience=5.0, transport=httpx.MockTransport(answer))


def gives(status: int, body: object, **headers: str) -> Callable[[httpx.Request], httpx.Response]:
    kind = "application/json" if status < 400 else "application/problem+json"
    return lambda _: httpx.Response(status, json=body, headers={"Content-Type": kind, **headers})


def lost(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("gone", request=request)


class MusterTest(unittest.TestCase):
    def test_a_post_is_sent_again_under_its_key(self) -> None:
        seen: list[httpx.Request] = []
        busy = gives(503, PROBLEM, **{"Retry-After": "0"})
        made = gives(200, {"resourceUUID": "u", "tenantID": "client_1"})
        muster = caller(iter([lost, busy, made]), seen)
        self.assertEqual(resources.create_resource(muster, body=ResourceInput(host_name="a")).resource_uuid, "u")
        keys = {request.headers["Idempotency-Key"] for request in seen[1:]}
        self.assertEqual((len(seen), len(keys)), (4, 1))

    def test_a_delete_whose_answer_is_lost_is_not(self) -> None:
        seen: list[httpx.Request] = []
        with self.assertRaises(httpx.ReadError):
            sites.delete_site(caller(iter([lost]), seen), 7)
        self.assertEqual(len(seen), 2)

    def test_a_revoked_token_is_replaced_once(self) -> None:
        seen: list[httpx.Request] = []
        refused = gives(401, {**PROBLEM, "status": 401, "code": "invalid_token"})
        with self.assertRaises(MusterError) as raised:
            sites.get_site(caller(iter([refused, refused]), seen), 7)
        self.assertEqual((raised.exception.status, raised.exception.code), (401, "invalid_token"))
        self.assertEqual([request.url.path for request in seen].count("/auth/oauth/token"), 2)

    def test_pages_follow_the_cursor(self) -> None:
        def page(name: str, **more: str) -> Callable[[httpx.Request], httpx.Response]:
            row = {"id": name, "name": name, "hostName": name, "ipAddress": "", "aliasName": "", "resourceName": ""}
            envelope = {"totalResults": 2, "pageNo": 1, "pageSize": 1, "totalPages": 2, "nextPage": bool(more)}
            row["resourceType"] = "Linux"
            return gives(200, {"results": [row], "descendingOrder": True, **envelope, **more})

        seen: list[httpx.Request] = []
        muster = caller(iter([page("a", nextCursor="c"), page("b")]), seen)
        names = [one.name for one in muster.each(resources.search_resources, page_no=1, page_size=1)]
        self.assertEqual(names, ["a", "b"])
        self.assertEqual(dict(seen[2].url.params), {"pageSize": "1", "cursor": "c"})

    def test_bulk_sends_and_reads_lines(self) -> None:
        counts = {"rows": 2, "created": 2, "updated": 0, "unchanged": 0, "errors": 0, "dryRun": False, "complete": True}
        lines = '{"line": 1, "result": "created"}\n{"line": 2, "result": "created"}\n'
        summary = str({"result": "summary", **counts}).replace("'", '"').replace("False", "false").replace("True", "true")
        seen: list[httpx.Request] = []
        muster = caller(iter([lambda _: httpx.Response(200, text=lines + summary)]), seen)
        answered = list(muster.bulk([ResourceInput(host_name="a"), ResourceInput(host_name="b")]))
        self.assertEqual(seen[1].content, b'{"hostName": "a"}\n{"hostName": "b"}\n')
        last = answered[-1]
        self.assertTrue(isinstance(last, BulkSummary) and last.created == 2)

    def test_a_problem_names_the_fields(self) -> None:
        with self.assertRaises(MusterError) as raised:
            sites.create_site(caller(iter([gives(400, PROBLEM)]), []), body=SiteInput(name=""))
        self.assertEqual(raised.exception.fields, {"name": "is missing"})

    def test_times(self) -> None:
        instant = datetime(2026, 11, 20, 20, 37, tzinfo=timezone.utc)
        self.assertEqual(parse_time("2026-11-20T20:37:00+0000"), instant)
        self.assertEqual(format_time(instant), "2026-11-20T20:37:00+0000")


if __name__ == "__main__":
    unittest.main()

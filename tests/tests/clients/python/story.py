"""What a user of the client writes: the story that is told in each language (tests/tests/clients/mod.rs)."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone

from muster_client import Muster, MusterError, format_time, parse_time
from muster_client.api import incidents, maintenance_windows, resources, rosters, sites, tenants, users
from muster_client.models import (
    BulkSummary,
    ClientInput,
    CloudDetail,
    DailyPattern,
    DeviceDetail,
    EndNever,
    IncidentClosing,
    IncidentInput,
    IncidentNoteInput,
    MaintenanceDeviceReference,
    MaintenanceWindowInput,
    OneTimeMaintenance,
    RecurringSchedule,
    ResourceInput,
    RosterInput,
    RosterShiftInput,
    RosterTimeZoneReference,
    RosterUserReference,
    SiteInput,
    SiteUpdate,
    SyntheticDetail,
    Tag,
    UserInput,
)


def refused(call: Callable[[], object]) -> MusterError:
    try:
        call()
    except MusterError as error:
        return error
    raise AssertionError("it was not refused")


def shapes(muster: Muster) -> None:
    """Resources, in their three shapes."""
    tags = [Tag(name="env", value="production")]
    device = ResourceInput(host_name="web-01", resource_type="Linux", tags=tags)
    cloud = ResourceInput(type_="EBS", resource_name="vol-01")
    check = ResourceInput(type_="SYNTHETIC", name="front", url="https://example.net/")
    told: list[str] = []
    for body in (device, cloud, check):
        made = resources.create_resource(muster, body=body)
        detail = resources.get_resource(muster, made.resource_uuid)
        match detail:
            case DeviceDetail():
                told.append(f"{detail.general_info.host_name} {detail.tags[0].value}")
            case CloudDetail():
                told.append(f"{detail.type_} {detail.resource_name} {parse_time(detail.created_date).year > 2000}")
            case SyntheticDetail():
                told.append(detail.url)
    assert told == ["web-01 production", "EBS vol-01 True", "https://example.net/"], told


def many(muster: Muster) -> None:
    """A thousand of them, in and out."""
    rows = [ResourceInput(host_name=f"bulk-{number}", resource_type="Linux") for number in range(1000)]
    answered = list(muster.bulk(rows))
    summary = answered[-1]
    assert isinstance(summary, BulkSummary) and summary.created == len(answered) - 1 == 1000, summary
    exported = list(muster.export(query_string="hostName:bulk-"))
    assert len(exported) == 1000 and all(str(one.host_name).startswith("bulk-") for one in exported)
    found = muster.each(resources.search_resources, query_string="hostName:bulk-", page_size=100)
    assert len({one.name for one in found}) == 1000


def operations(muster: Muster) -> None:
    """People, their roster, a window, an incident."""
    anna = users.create_user(muster, body=UserInput(login_name="anna", email="anna@example.net", role="operator"))
    schedule = RecurringSchedule(
        type_="recurring",
        start_date="2026-11-20T00:00:00Z",
        start_time="20:00:00",
        end_time="08:00:00",
        pattern=DailyPattern(type_="daily", repeat_frequency=1),
        end_pattern=EndNever(type_="NEVER"),
    )
    shift = RosterShiftInput(name="Night", schedule=schedule, users=[RosterUserReference(id=anna.id)], user_groups=[])
    body = RosterInput(
        name="Nights",
        description="Every night",
        time_zone=RosterTimeZoneReference(name="Europe/Paris"),
        shift_details=[shift],
    )
    roster = rosters.create_roster(muster, body=body)
    at = datetime(2026, 11, 25, 3, tzinfo=timezone.utc)
    on_call = rosters.get_roster_on_call(muster, roster.id, at=format_time(at))
    assert [entry.user.login_name for entry in on_call.on_call] == ["anna"], on_call
    assert parse_time(on_call.at) == at

    once = OneTimeMaintenance(type_="One-Time", start_time="2031-11-20T22:00:00Z", end_time="2031-11-20T23:30:00Z")
    devices = [MaintenanceDeviceReference(host_name="web-01")]
    planned = MaintenanceWindowInput(name="Patches", schedule=once, devices=devices)
    made = maintenance_windows.create_maintenance_window(muster, body=planned)
    window = maintenance_windows.get_maintenance_window(muster, made.unique_id)
    assert isinstance(window.schedule, OneTimeMaintenance), window

    incident = incidents.create_incident(muster, body=IncidentInput(subject="Disk is full", priority="High"))
    incidents.add_incident_note(muster, incident.id, body=IncidentNoteInput(content="Looking into it."))
    closed = incidents.close_incident(muster, incident.id, body=IncidentClosing(note="Done."))
    assert (closed.status, closed.note_count) == ("Closed", 2), closed


def problems(muster: Muster) -> None:
    """What goes wrong, and how that is told."""
    missing = refused(lambda: resources.get_resource(muster, str(uuid.uuid4())))
    assert (missing.status, missing.code) == (404, "0003"), missing
    invalid = refused(lambda: users.create_user(muster, body=UserInput(login_name="", email="nowhere")))
    assert invalid.status == 400 and sorted(invalid.fields) == ["email", "loginName"], invalid.fields
    site = sites.create_site(muster, body=SiteInput(name="Paris"))
    taken = refused(lambda: sites.create_site(muster, body=SiteInput(name="Paris")))
    assert (taken.status, taken.code) == (409, "0004"), taken
    read = muster.answer(sites.get_site, site.id)
    sites.update_site(muster, site.id, body=SiteUpdate(city="Paris"), if_match=read.etag)
    late = refused(lambda: sites.update_site(muster, site.id, body=SiteUpdate(city="Lyon"), if_match=read.etag))
    assert late.status == 412, late
    assert sites.get_site(muster, site.id).city == "Paris"
    sites.delete_site(muster, site.id)


def limited() -> None:
    """A key that may send 20 requests a second: told of it, or patient."""
    url, key, secret = (os.environ[f"LIMITED_{name}"] for name in ("URL", "KEY", "SECRET"))
    hasty = Muster(url, key, secret, "msp_1", patience=0)
    patient = Muster(url, key, secret, "msp_1")
    tenants.get_tenant(hasty)

    def attempt(_: int) -> MusterError | None:
        try:
            tenants.get_tenant(hasty)
        except MusterError as error:
            return error
        return None

    with ThreadPoolExecutor(20) as pool:
        throttled = [error for error in pool.map(attempt, range(60)) if error]
        assert throttled and throttled[0].status == 429 and (throttled[0].retry_after or 0) >= 1, throttled
        assert len(list(pool.map(lambda _: tenants.get_tenant(patient), range(60)))) == 60


def interrupted(muster: Muster) -> None:
    """The server is killed meanwhile, and starts again: nothing is lost, and nothing done twice."""
    print("kill", flush=True)
    for number in range(60):
        incidents.create_incident(muster, body=IncidentInput(subject=f"Interrupted {number}"))
    subjects = [one.subject for one in muster.each(incidents.search_incidents, page_size=25)]
    found = [subject for subject in subjects if subject.startswith("Interrupted ")]
    assert len(found) == len(set(found)) == 60, len(found)


def main() -> None:
    url, key, secret = (os.environ[f"STORY_{name}"] for name in ("URL", "KEY", "SECRET"))
    partner = Muster(url, key, secret, "msp_1")
    client = tenants.create_client(partner, body=ClientInput(name=f"python {time.time()}"))
    muster = Muster(url, key, secret, client.unique_id)
    print(f"tenant {client.unique_id}", flush=True)
    shapes(muster)
    many(muster)
    operations(muster)
    problems(muster)
    limited()
    interrupted(muster)
    print("done", flush=True)


if __name__ == "__main__":
    main()

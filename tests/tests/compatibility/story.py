"""A day with the service, as a client sees it. Each step has a label; the first unexpected result ends the script."""

import datetime
import sys

import opsramp.binding
from opsramp.integrations import Instances
from opsramp.msp import Clients

address, key, secret, mark = sys.argv[1:]


def same(found, expected, about):
    if found != expected:
        raise AssertionError(f"{about}: {found!r} is not {expected!r}")


def names(listed, field="name"):
    rows = listed["results"] if isinstance(listed, dict) else listed
    return sorted(row[field] for row in rows)


print("a token")
service = opsramp.binding.connect(address, key, secret)
assert service.token

print("what is the same for all")
config = service.config()
for ask in (
    config.get_alert_types,
    config.get_alert_technologies,
    config.get_countries,
    config.get_device_types,
    config.get_timezones,
    config.get_channels,
    config.get_nocs,
):
    assert isinstance(ask(), list), ask
assert "Linux" in names(config.get_device_types())

print("a client of the partner")
partner = service.tenant("msp_1")
clients = partner.clients()
made = clients.create(Clients.mkClient(mark, "1 Main Street", "Europe/Paris", "France", Clients.mkHours()))
number = made["uniqueId"]
assert number in names(clients.get(), "uniqueId")
same(names(clients.search("name:" + mark)), [mark], "the search for a client")
same(clients.update(number, {"name": mark + " Ltd"})["name"], mark + " Ltd", "its new name")
same(clients.suspend(number)["suspended"], True, "a suspended client")
same(clients.activate(number)["suspended"], False, "an active one")
client = service.tenant(number)

print("resources")
resources = client.resources()
machines = [resources.create({"hostName": "web-%02d" % place})["resourceUUID"] for place in range(25)]
paged = resources.search("pageSize=10&sortName=hostName&isDescendingOrder=false")
same((paged["totalResults"], len(set(names(paged, "id")))), (25, 25), "three pages as one")
same([row["hostName"] for row in paged["results"]], ["web-%02d" % place for place in range(25)], "their order")
detailed = resources.search("verbose=true&pageSize=10")
same(sorted(row["generalInfo"]["hostName"] for row in detailed["results"])[0], "web-00", "details, page by page")
same(names(resources.search("queryString=hostName:web-07"), "id"), [machines[7]], "the search for a name")
same(resources.minimal()["totalResults"], 25, "the minimal list")
same(resources.update(machines[0], {"aliasName": "front"})["generalInfo"]["aliasName"], "front", "a change")
same(resources.get(machines[0])["id"], machines[0], "one resource")
same(resources.applications(machines[0])["results"], [], "its applications")
same(resources.delete(machines[24]), {}, "a delete")
same(resources.minimal()["totalResults"], 24, "the rest")

print("device groups")
groups = client.resource_groups()
[group] = groups.create([{"name": "Web servers"}])
same(groups.post(group["uniqueId"] + "/childs", json=[{"id": machines[0]}]), {}, "a member")
same(names(groups.api.get(group["uniqueId"] + "/childs/search"), "id"), [machines[0]], "the members")
[changed] = groups.update([{"id": group["uniqueId"], "name": "Web servers", "description": "in front"}])
same((changed["uniqueId"], changed["description"]), (group["uniqueId"], "in front"), "a change")
same(names(groups.get()), ["Web servers"], "all groups")
same(names(groups.search("queryString=name:web")), ["Web servers"], "the search for a group")
same(names(groups.minimal()), ["Web servers"], "groups in short")
by_group = "deviceGroupId=%s" % group["uniqueId"]
same(names(resources.search(by_group), "id"), [machines[0]], "the resources of a group")

print("service groups")
services = client.service_maps()
[shop] = services.create([{"name": "Shop"}])
same(services.post(shop["uniqueId"] + "/childs", json=[{"id": machines[1]}]), {}, "a member")
same(names(services.get(shop["uniqueId"]), "id"), [machines[1]], "what is in a service")
same(names(services.get()), ["Shop"], "all services")
same(names(services.get(minimal=True)), ["Shop"], "services in short")
same(services.update(shop["uniqueId"], {"description": "sells"})["description"], "sells", "a change")
same(services.delete(shop["uniqueId"]), {}, "a delete")

print("sites")
sites = client.sites()
site = sites.create({"name": "Pune", "country": "India"})
same(names(sites.get()), ["Pune"], "sites in short")
same(sites.get(str(site["id"]))["country"], "India", "one site")
same(sites.update(site["id"], {"city": "Pune"})["city"], "Pune", "a change")
same(sites.post("%d/childs" % site["id"], json=[{"id": machines[2]}]), {}, "a machine moves in")
same(names(sites.get("%d/childs" % site["id"]), "id"), [machines[2]], "who is there")
same(names(sites.search("queryString=name:pune")), ["Pune"], "the search for a site")

print("people")
user = client.post("users", json={"loginName": "ann", "firstName": "Ann"})
assert user["id"] in names(client.get("users/minimal"), "id")
same(names(client.get("users/search?queryString=loginName:ann"), "id"), [user["id"]], "the search for a user")
night = client.post("userGroups", json={"name": "Night", "description": "awake"})
same(client.post("userGroups/%s/users" % night["uniqueId"], json=[{"id": user["id"]}]), {}, "a member")
same(names(client.get("userGroups/%s/users" % night["uniqueId"]), "id"), [user["id"]], "the members")
assert "Night" in names(client.get("userGroups"))

print("the knowledge base")
categories = client.kb().categories()
network = categories.create({"name": "Network", "description": "cables"})
wireless = categories.create({"name": "Wireless", "parentCategory": {"id": network["id"]}})
same(categories.update(network["id"], {"name": "Networks"})["name"], "Networks", "a change")
same(names(categories.search("pageNo=1&pageSize=1")), ["Networks", "Wireless"], "two pages as one")
same(names(categories.children(network["id"])), ["Wireless"], "what is below")
articles = client.kb().articles()
article = articles.create(
    {"subject": "No signal", "content": "Look at the LED.", "category": {"id": wireless["id"]}, "state": "PUBLISHED"}
)
same(articles.update(article["id"], {"subject": "No signal at all"})["subject"], "No signal at all", "a change")
same(names(articles.search("queryString=subject:signal"), "subject"), ["No signal at all"], "the list of articles")
same(names(client.kb().get("articles/search?queryString=states:Published"), "id"), [article["id"]], "by their states")
articles.delete(article["id"])
same(articles.search(), client.kb().get("articlelist"), "the list, by either name")
categories.delete(wireless["id"])
same(categories.restore(wireless["id"])["state"], "ACTIVE", "out of the trash")

print("maintenance windows")
now = datetime.datetime.now(datetime.timezone.utc)
at = lambda hours: (now + datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S+0000")
window = client.post(
    "scheduleMaintenances",
    json={
        "name": "Patches",
        "description": "web servers",
        "devices": [{"hostName": "web-03"}],
        "deviceGroups": [{"id": group["uniqueId"]}],
        "locations": [{"name": "Pune"}],
        "schedule": {"type": "One-Time", "startTime": at(-1), "endTime": at(1)},
    },
)["uniqueId"]
path = "scheduleMaintenances/" + window
shown = client.get(path)
same((shown["status"], shown["name"]), ("Active", "Patches"), "a window")
assert shown["createdTime"] and shown["updatedTime"]
for query in (
    "name:patch",
    "status:Active",
    "deviceName:web-00+status:Active",
    "deviceGroupName:Web servers",
    "deviceGroupId:" + group["uniqueId"],
    "siteName:Pune+startDate:%s+endDate:%s" % (at(-2), at(2)),
):
    found = client.get("scheduleMaintenances/search?queryString=" + query.replace("+", "%2B"))
    same(names(found, "uniqueId"), [window], query)
same(names(client.get(path + "/resources/resources"), "hostName"), ["web-03"], "its resources")
same(names(client.get(path + "/resources/deviceGroups")), ["Web servers"], "its groups")
same(names(client.get(path + "/resources/sites")), ["Pune"], "its sites")
same(client.post(path + "/suspend", json={"pattern": "now"})["status"], "Suspended", "a suspended window")
same(client.post(path + "/resume")["status"], "Active", "a resumed one")
same(client.post(path + "/end")["status"], "Completed", "one that ended")
same(client.delete(path), {}, "a delete")

print("integrations")
integrations = client.integrations()
assert "CUSTOM" in names(integrations.available().search(), "id")
installed = integrations.installed()
tickets = installed.create("CUSTOM", Instances.mkCustom("Tickets"))["id"]
installed.notifier(tickets, Instances.mkBaseNotifier("REST_API", "https://receiver.invalid/api", auth_type="NONE"))
same(names(installed.search("queryString=category:CUSTOM_INTEGRATION"), "id"), [tickets], "the installed ones")
same(installed.get(tickets)["displayName"], "Tickets", "one of them")
same(installed.update(tickets, {"displayName": "Desk"})["displayName"], "Desk", "a change")
for name in ("one", "two", "three"):
    installed.post(tickets + "/event", json={"name": name, "entity": "INCIDENT", "eventType": "CREATE"})
same(names(installed.get(tickets + "/events?pageSize=2")), ["one", "three", "two"], "two pages of events as one")
known = integrations.get("events/placeHolders/INCIDENT?pageNo=1&pageSize=1000")
assert "$incident.subject" in known["placeHolders"] and known["nextPage"] is False
same(installed.disable(tickets)["status"], "DISABLED", "switched off")
same(installed.enable(tickets)["status"], "ENABLED", "switched on")
same(installed.delete(tickets, "no longer needed"), {}, "a delete")

print("jobs")
job = client.post(
    "jobs",
    json={
        "name": "Virus check",
        "schedule": {"startDate": "2031-01-01T00:00:00+0000", "pattern": {"type": "daily", "frequency": "everyday"}},
        "script": {"jobType": "antivirus"},
    },
)["id"]
same(names(client.get("jobs/search?queryString=name:virus"), "id"), [job], "the search for a job")
same(client.get("jobs/" + job)["name"], "Virus check", "one job")
assert client.get("jobs/types")
same(client.delete("jobs/" + job), {}, "a delete")

print("rosters")
roster = client.post(
    "rosters",
    json={
        "name": "Nights",
        "description": "who answers",
        "timeZone": {"name": "Europe/Paris"},
        "shiftDetails": [
            {
                "name": "Night",
                "schedule": {
                    "type": "recurring",
                    "startDate": "2026-11-20T00:00:00+0000",
                    "startTime": "22:00:00",
                    "endTime": "06:00:00",
                    "pattern": {"type": "daily", "repeatFrequency": 1},
                    "endPattern": {"type": "NEVER"},
                },
                "users": [{"id": user["id"]}],
                "userGroups": [{"uniqueId": night["uniqueId"]}],
            }
        ],
    },
)["id"]
same(client.get("rosters/" + roster)["name"], "Nights", "one roster")
same(names(client.get("rosters/search"), "id"), [roster], "all of them")
same(client.delete("rosters/" + roster), {}, "a delete")

print("the end")
same(groups.delete(group["uniqueId"]), {}, "a group goes")
same(clients.terminate(number)["terminated"], True, "a terminated client")
print("the day is over")

// What a user of the client writes: the story that is told in each language (tests/tests/clients/mod.rs).

import assert from "node:assert/strict";

import { Muster, MusterError, formatTime, parseTime, type Schemas } from "muster-client";

const given = (name: string): string => process.env[name] ?? assert.fail(`${name} is not set`);
const partner = new Muster({
  url: given("STORY_URL"),
  key: given("STORY_KEY"),
  secret: given("STORY_SECRET"),
  tenant: "msp_1",
});
const tenant = (await partner.createClient({ body: { name: `typescript ${Date.now()}` } })).uniqueId;
const muster = new Muster({ url: given("STORY_URL"), key: given("STORY_KEY"), secret: given("STORY_SECRET"), tenant });

async function refused(call: Promise<unknown>): Promise<MusterError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof MusterError) return error;
    throw error;
  }
  assert.fail("it was not refused");
}

// Resources, in their three shapes.
async function shapes(): Promise<void> {
  const device = await muster.createResource({
    body: { hostName: "web-01", resourceType: "Linux", tags: [{ name: "env", value: "production" }] },
  });
  const cloud = await muster.createResource({ body: { type: "EBS", resourceName: "vol-01" } });
  const check = await muster.createResource({ body: { type: "SYNTHETIC", name: "front", url: "https://example.net/" } });
  const told: string[] = [];
  for (const { resourceUUID } of [device, cloud, check]) {
    const detail = await muster.getResource({ resourceId: resourceUUID });
    switch (detail.type) {
      case "DEVICE":
        told.push(`${detail.generalInfo.hostName} ${detail.tags[0]?.value}`);
        break;
      case "SYNTHETIC":
        told.push(detail.url);
        break;
      default:
        told.push(`${detail.type} ${detail.resourceName} ${parseTime(detail.createdDate).getTime() > 0}`);
    }
  }
  assert.deepEqual(told, ["web-01 production", "EBS vol-01 true", "https://example.net/"]);
}

// A thousand of them, in and out.
async function many(): Promise<void> {
  const rows = Array.from({ length: 1000 }, (_, number) => ({ hostName: `bulk-${number}`, resourceType: "Linux" }));
  let summary: Schemas["BulkSummary"] | undefined;
  for await (const line of muster.bulk(rows)) {
    if (line.result === "summary") summary = line;
    else assert.equal(line.result, "created");
  }
  assert.equal(summary?.created, 1000);
  let exported = 0;
  for await (const resource of muster.export({ queryString: "hostName:bulk-" })) {
    assert.ok(resource.hostName?.startsWith("bulk-"));
    exported += 1;
  }
  assert.equal(exported, 1000);
  const names = new Set<string>();
  for await (const resource of muster.each("searchResources", { queryString: "hostName:bulk-", pageSize: 100 })) {
    names.add(resource.name);
  }
  assert.equal(names.size, 1000);
}

// People, their roster, a window, an incident.
async function operations(): Promise<void> {
  const anna = await muster.createUser({ body: { loginName: "anna", email: "anna@example.net", role: "operator" } });
  const roster = await muster.createRoster({
    body: {
      name: "Nights",
      description: "Every night",
      timeZone: { name: "Europe/Paris" },
      shiftDetails: [
        {
          name: "Night",
          users: [{ id: anna.id }],
          userGroups: [],
          schedule: {
            type: "recurring",
            startDate: "2026-11-20T00:00:00Z",
            startTime: "20:00:00",
            endTime: "08:00:00",
            pattern: { type: "daily", repeatFrequency: 1 },
            endPattern: { type: "NEVER" },
          },
        },
      ],
    },
  });
  const at = new Date("2026-11-25T03:00:00Z");
  const onCall = await muster.getRosterOnCall({ rosterId: roster.id, at: formatTime(at) });
  assert.deepEqual(onCall.onCall.map((entry) => entry.user.loginName), ["anna"]);
  assert.equal(parseTime(onCall.at).getTime(), at.getTime());

  const made = await muster.createMaintenanceWindow({
    body: {
      name: "Patches",
      devices: [{ hostName: "web-01" }],
      schedule: { type: "One-Time", startTime: "2031-11-20T22:00:00Z", endTime: "2031-11-20T23:30:00Z" },
    },
  });
  const window = await muster.getMaintenanceWindow({ windowId: made.uniqueId });
  assert.equal(window.schedule.type, "One-Time");

  const incident = await muster.createIncident({ body: { subject: "Disk is full", priority: "High" } });
  await muster.addIncidentNote({ incidentId: incident.id, body: { content: "Looking into it." } });
  const closed = await muster.closeIncident({ incidentId: incident.id, body: { note: "Done." } });
  assert.equal(closed.status, "Closed");
  assert.equal(closed.noteCount, 2);
}

// What goes wrong, and how that is told.
async function problems(): Promise<void> {
  const missing = await refused(muster.getResource({ resourceId: crypto.randomUUID() }));
  assert.deepEqual([missing.status, missing.code], [404, "0003"]);
  const invalid = await refused(muster.createUser({ body: { loginName: "", email: "nowhere" } }));
  assert.equal(invalid.status, 400);
  assert.deepEqual(Object.keys(invalid.fields).sort(), ["email", "loginName"]);
  const site = await muster.createSite({ body: { name: "Paris" } });
  const taken = await refused(muster.createSite({ body: { name: "Paris" } }));
  assert.deepEqual([taken.status, taken.code], [409, "0004"]);
  const siteId = site.id;
  const { etag } = await muster.call("getSite", { siteId });
  assert.ok(etag);
  await muster.updateSite({ siteId, ifMatch: etag, body: { city: "Paris" } });
  const late = await refused(muster.updateSite({ siteId, ifMatch: etag, body: { city: "Lyon" } }));
  assert.equal(late.status, 412);
  assert.equal((await muster.getSite({ siteId })).city, "Paris");
  await muster.deleteSite({ siteId });
}

// A key that may send 20 requests a second: told of it, or patient.
async function limited(): Promise<void> {
  const options = { url: given("LIMITED_URL"), key: given("LIMITED_KEY"), secret: given("LIMITED_SECRET") };
  const hasty = new Muster({ ...options, tenant: "msp_1", patience: 0 });
  const patient = new Muster({ ...options, tenant: "msp_1" });
  await hasty.getTenant();
  const calls = await Promise.allSettled(Array.from({ length: 60 }, () => hasty.getTenant()));
  const errors = calls.flatMap((call) => (call.status === "rejected" ? [call.reason as unknown] : []));
  const throttled = errors.find((error) => error instanceof MusterError);
  assert.equal(throttled?.status, 429);
  assert.ok((throttled?.retryAfter ?? 0) >= 1);
  const answers = await Promise.all(Array.from({ length: 60 }, () => patient.getTenant()));
  assert.equal(answers.length, 60);
}

// The server is killed meanwhile, and starts again: nothing is lost, and nothing done twice.
async function interrupted(): Promise<void> {
  console.log("kill");
  for (let number = 0; number < 60; number += 1) {
    await muster.createIncident({ body: { subject: `Interrupted ${number}` } });
  }
  const subjects: string[] = [];
  for await (const incident of muster.each("searchIncidents", { pageSize: 25 })) subjects.push(incident.subject);
  const interrupted = subjects.filter((subject) => subject.startsWith("Interrupted "));
  assert.equal(interrupted.length, 60);
  assert.equal(new Set(interrupted).size, 60);
}

console.log(`tenant ${tenant}`);
await shapes();
await many();
await operations();
await problems();
await limited();
await interrupted();
console.log("done");

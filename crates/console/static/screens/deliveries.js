// Deliveries: requests to other services, their answers, and sending them again.

import { call, may, readAll } from "../api.js";
import { BarChart } from "../barchart.js";
import { useVersionedAction } from "../conflict.js";
import { Button, Empty, Facts, Head, Loading, Panel, State, Time, Trouble, html } from "../elements.js";
import { Choices } from "../form.js";
import { useAnswer, useList } from "../hooks.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";
import { millis, span } from "../time.js";
import { attempt } from "../toast.js";
import { AllDeliveries } from "./alldeliveries.js";

/**
 * The fields of a delivery that are compared before it is sent again.
 * @type {[string, string, (delivery: any) => any][]}
 */
const FIELDS = [
  ["status", "Status", (delivery) => delivery.status],
  ["attempts", "Attempts", (delivery) => delivery.attempts],
  ["responseStatus", "Answer", (delivery) => delivery.responseStatus],
];

function Delivery({ path, onChange }) {
  const answer = useAnswer((signal) => call("getDelivery", { ...path, signal }), path.deliveryId, 10e3);
  const delivery = answer.data;
  const done = (now) => {
    // What is sent, and the attempts, are not in the answer.
    answer.renew(now && { ...delivery, ...now });
    onChange();
  };
  const guard = useVersionedAction({ fields: FIELDS, read: () => call("getDelivery", path), onDone: done });
  if (!delivery)
    return html`<${Panel} title="Delivery" id="delivery">
      ${answer.problem ? html`<${Trouble} problem=${answer.problem} />` : html`<${Loading} />`}
    <//>`;
  const again = () =>
    guard.act({
      label: "Send it again",
      message: "It is sent again.",
      found: delivery,
      work: (match) => call("resendDelivery", { ...path, match, body: {} }),
    });
  const { request } = delivery;
  return html`<${Panel}
    title="Delivery"
    id="delivery"
    actions=${html`
      ${may("resendDelivery") && html`<${Button} onClick=${again}>Send again<//>`}
      <button type="button" class="link" onClick=${() => refine({ delivery: "" })}>Close</button>
    `}
  >
    <p>
      <${State} of=${delivery.status} /> after ${delivery.attempts} ${delivery.attempts === 1 ? "attempt" : "attempts"}
      ${delivery.nextAttemptTime && html`, the next <${Time} at=${delivery.nextAttemptTime} />`}
    </p>
    <${Facts} of=${[
      ["About", `${delivery.about?.entity || ""} ${delivery.about?.entityId || ""}`],
      ["Request", request && html`<span class="mono">${request.method} ${request.target}</span>`],
    ]} />
    ${
      request &&
      html`<h3>Request body</h3><pre class="output" tabindex="0" aria-label="Body of the request">${request.body}</pre>`
    }
    <h3>Attempts</h3>
    ${
      delivery.attemptLog?.length
        ? html`<ol class="course">
            ${delivery.attemptLog.map(
              (one) => html`<li>
                <${Time} at=${one.time} />${" "}
                <div>
                  ${one.responseStatus || "no answer"} <span class="dim">${one.durationMs ?? "–"} ms</span>
                  ${one.error && html`<div class="dim">${one.error}</div>`}
                  ${one.responseBody && html`<pre class="output" tabindex="0">${one.responseBody}</pre>`}
                </div>
              </li>`,
            )}
          </ol>`
        : html`<p class="dim">None yet.</p>`
    }
    ${guard.conflict}
  <//>`;
}

/** From the making of a delivery to its last attempt, for the last ones. */
function Latencies({ rows }) {
  const known = rows
    .filter((row) => row.lastAttemptTime && row.status !== "pending")
    .slice(0, 40)
    .reverse();
  if (known.length < 2) return null;
  const took = (row) => Math.max(0, millis(row.lastAttemptTime) - millis(row.createdTime));
  const bars = known.map((row) => ({
    value: took(row),
    kind: row.status === "delivered" ? "good" : "bad",
    title: `${row.status}, ${span(took(row))} after it was made`,
  }));
  const done = known.filter((row) => row.status === "delivered");
  const slowest = span(Math.max(0, ...done.map(took)));
  return html`<${BarChart}
    bars=${bars}
    label=${`Of the last ${known.length} deliveries ${done.length} arrived; the slowest took ${slowest}`}
  />`;
}

function Log({ installedIntgId, eventId, query }) {
  const status = query.get("status") || "";
  const list = useList("searchDeliveries", { status, pageSize: 50 }, { installedIntgId, eventId }, 10e3);
  const chosen = query.get("delivery");
  const columns = [
    { title: "Created", main: true, class: "grow", cell: (row) => html`<${Time} at=${row.createdTime} />` },
    { title: "Status", cell: (row) => html`<${State} of=${row.status} />` },
    { title: "Answer", cell: (row) => row.responseStatus || "" },
    { title: "Attempts", keep: 2, class: "number", cell: (row) => row.attempts },
    { title: "Last", keep: 2, cell: (row) => html`<${Time} at=${row.lastAttemptTime} />` },
    { title: "Next", keep: 3, cell: (row) => html`<${Time} at=${row.nextAttemptTime} />` },
  ];
  const replay = async () => {
    const from = new Date(Date.now() - 86400e3).toISOString().slice(0, 19) + "Z";
    if (
      await attempt("Failed deliveries of the last 24 hours are sent again.", () =>
        call("replayDeliveries", { installedIntgId, eventId, body: { startTime: from, status: "failed" } }),
      )
    )
      list.reload();
  };
  return html`
    ${
      chosen &&
      html`<${Delivery}
        key=${chosen}
        path=${{ installedIntgId, eventId, deliveryId: chosen }}
        onChange=${list.reload}
      />`
    }
    <${Panel}
      title="Log"
      id="log"
      actions=${may("replayDeliveries") && html`<${Button} onClick=${replay}>Resend failed deliveries<//>`}
    >
      <div class="filters">
        <${Choices}
          label="Status"
          options=${["pending", "delivered", "failed"]}
          value=${status}
          onValue=${(value) => refine({ status: value.split(",").find((one) => one && one !== status) || "" })}
        />
      </div>
      <${Latencies} rows=${list.rows || []} />
      <${Rows}
        list=${list}
        columns=${columns}
        label="Deliveries"
        href=${(row) => link("deliveries", { event: `${installedIntgId}/${eventId}`, status, delivery: row.id })}
        empty=${html`<${Empty} title="No deliveries yet.">
          Each change that the event subscribes to creates a delivery.
        <//>`}
      />
    <//>
  `;
}

export default function Deliveries({ query }) {
  const all = useAnswer(
    async (signal) => {
      const installed = await readAll("searchInstalledIntegrations", { signal });
      const events = await Promise.all(
        installed.map((one) => readAll("listIntegrationEvents", { installedIntgId: one.id, signal })),
      );
      return installed.map((one, place) => ({ ...one, events: events[place] }));
    },
    "all",
    30e3,
  );
  const isAll = query.get("all") === "1";
  const keys = (all.data || []).flatMap((one) => one.events.map((event) => `${one.id}/${event.id}`));
  const chosen = query.get("event") || keys[0];
  const [installedIntgId, eventId] = (chosen || "").split("/");
  return html`
    <${Head}
      title="Deliveries"
      actions=${html`<a class="button" href=${link("deliveries", isAll ? {} : { all: "1" })}>
        ${isAll ? "By event" : "All events"}
      </a>`}
    />
    <${Trouble} problem=${all.problem} again=${all.reload} />
    ${
      isAll
        ? html`<${AllDeliveries} query=${query} />`
        : !all.data
          ? !all.problem && html`<${Loading} />`
          : !all.data.length
            ? html`<${Empty} title="No integrations are installed.">
              An integration notifies other services. Users with the integrator role can install one.
            <//>`
            : html`
              <div class="cards">
                ${all.data.map(
                  (one) => html`<section class="panel" aria-label=${one.displayName}>
                    <div class="panel-head"><h2>${one.displayName}</h2><${State} of=${one.status} /></div>
                    <p class="small dim">${one.baseNotifier?.baseURI}</p>
                    <ul class="plain-list">
                      ${one.events.map(
                        (event) => html`<li>
                          <a
                            href=${link("deliveries", { event: `${one.id}/${event.id}` })}
                            aria-current=${chosen === `${one.id}/${event.id}` ? "true" : undefined}
                          >
                            ${event.name}
                          </a>${" "}
                          ${
                            !event.active &&
                            html`<${State} of="DISABLED" /> <span class="small dim">${event.inactiveBecause}</span>`
                          }
                        </li>`,
                      )}
                      ${!one.events.length && html`<li class="dim">No event yet.</li>`}
                    </ul>
                  </section>`,
                )}
              </div>
              ${
                chosen &&
                html`<${Log}
                  key=${chosen}
                  installedIntgId=${installedIntgId}
                  eventId=${eventId}
                  query=${query}
                />`
              }
            `
    }
  `;
}

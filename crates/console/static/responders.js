// Panels of the people whom alerts of a machine notify, and of the people on call now.

import { call, readAll } from "./api.js";
import { Empty, Panel, Trouble, html, personName } from "./elements.js";
import { useAnswer } from "./hooks.js";
import { link } from "./route.js";

/**
 * The names of people and rosters, by their ids; empty until they are there.
 * @returns {Map<string, string>}
 */
export function useNames() {
  const all = useAnswer(async (signal) => {
    const [people, rosters] = await Promise.all([
      readAll("searchUsers", { signal }),
      readAll("searchRosters", { signal }),
    ]);
    return [
      ...people.map((user) => /** @type {[string, string]} */ ([user.id, personName(user)])),
      ...rosters.map((roster) => /** @type {[string, string]} */ ([roster.id, roster.name])),
    ];
  }, "names");
  return new Map(all.data);
}

/** The people whom a critical alert of a machine notifies; `why` is the address of the explanation. */
export function Responders({ id, why, names }) {
  const answer = useAnswer((signal) => call("getResourceOnCall", { resourceId: id, signal }), id, 60e3);
  /** @type {{policy?: any, steps?: any[], gap?: string}} */
  const { policy, steps = [], gap } = answer.data || {};
  return html`<${Panel} title="Responders" id="responders" actions=${html`<a href=${why}>Why?</a>`}>
    <${Trouble} problem=${answer.problem} />
    ${gap && html`<${Empty} title="Nobody.">${gap}<//>`}
    ${
      policy &&
      html`<p class="small dim">
        by${" "}
        ${policy.id ? html`<a href=${link("routing", { policy: policy.id })}>${policy.name}</a>` : "a partner policy"}
      </p>`
    }
    <ol class="course">
      ${steps.map(
        (step) => html`<li>
          <span class="dim">${step.step === 1 ? "first" : "then"}</span>
          <div>
            ${step.targets.map(
              (one) => html`<div>
                ${one.users.map((user) => user.name).join(", ")}
                ${
                  one.gap &&
                  html`<span class="gaps">
                    ${[names.get((one.target.roster || one.target.user)?.id), one.gap].filter(Boolean).join(": ")}
                  </span>`
                }
                ${one.target.integration && "an integration"}
              </div>`,
            )}
          </div>
        </li>`,
      )}
    </ol>
  <//>`;
}

/** Somebody to call about a machine that is down. */
export function OnCallNow() {
  const board = useAnswer((signal) => call("getOnCall", { signal }), "on call");
  const people = board.data?.onCall || [];
  return html`<${Panel} title="On call now" id="on-call-now">
    <${Trouble} problem=${board.problem} />
    ${
      board.data &&
      (people.length
        ? html`<ul class="plain-list">
            ${people.map(
              (entry) => html`<li>
                <strong>${personName(entry.user)}</strong> <span class="dim">${entry.roster.name}</span>
                ${
                  entry.user.mobileNumber &&
                  html`
                    ${" "}<a href=${`tel:${entry.user.mobileNumber.replace(/[^+\d]/g, "")}`}>
                      ${entry.user.mobileNumber}
                    </a>
                  `
                }
              </li>`,
            )}
          </ul>`
        : html`<${Empty} title="Nobody." />`)
    }
  <//>`;
}

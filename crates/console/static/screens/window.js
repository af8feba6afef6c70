// One maintenance window, beside the list: what it covers, when it is open, and what can be done with it.

import { call, may } from "../api.js";
import { Feeds, windowFeeds } from "../calendarfeeds.js";
import { useVersionedAction } from "../conflict.js";
import { Button, Facts, Loading, Panel, State, Time, Trouble, html, personName, some } from "../elements.js";
import { useAnswer, useState } from "../hooks.js";
import { RecordActions } from "../recordactions.js";
import { refine } from "../route.js";
import { DAY, midnight, millis, short, wire } from "../time.js";
import { Extend, FIELDS, actionsOf, read, stretch } from "./windowactions.js";
import { TryAlert } from "./windowmatch.js";
import { repeatWords } from "./windowschedule.js";
import { WindowTargets } from "./windowtargets.js";

/** How many occurrences are listed, of those in so many days. */
const SHOWN = 5;
const DAYS = 366;

/** The next occurrences, each of which may be skipped. */
function Occurrences({ window, skip }) {
  const from = midnight(Date.now());
  const answer = useAnswer(
    (signal) =>
      call("listMaintenanceOccurrences", {
        windowId: window.uniqueId,
        signal,
        query: { from: wire(from), to: wire(from + DAYS * DAY) },
      }),
    `${window.uniqueId} ${window.updatedDate} ${JSON.stringify(window.skipped)} ${window.current?.end}`,
  );
  const later = (answer.data?.results || []).filter((one) => millis(one.end) > Date.now());
  if (!later.length) return answer.problem ? html`<${Trouble} problem=${answer.problem} />` : null;
  return html`
    <h3>Occurrences</h3>
    <ul class="plain-list">
      ${later.slice(0, SHOWN).map(
        (one) => html`<li key=${one.start}>
          <div class="session">
            <span><${Time} at=${one.start} /> to <${Time} at=${one.end} /></span>
            ${
              may("skipMaintenanceOccurrence") &&
              html`<${Button} aria-label=${`Skip ${short(millis(one.start))}`} onClick=${() => skip(one.start)}>
                Skip
              <//>`
            }
          </div>
        </li>`,
      )}
      ${later.length > SHOWN && html`<li class="dim">and ${later.length - SHOWN} more in a year</li>`}
    </ul>
  `;
}

/** The panel of the window `id`; `onChange` is called after each change. */
export function Window({ id, onChange }) {
  const answer = useAnswer((signal) => call("getMaintenanceWindow", { windowId: id, signal }), id, 30e3);
  const [extending, setExtending] = useState();
  const [trying, setTrying] = useState(false);
  const window = answer.data;
  const done = (now) => {
    answer.renew(now);
    onChange();
  };
  const guard = useVersionedAction({ fields: FIELDS, read: () => read(id), onDone: done });
  if (!window)
    return html`<${Panel} title="Window" id="window">
      ${answer.problem ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />` : html`<${Loading} />`}
    <//>`;
  const act = (label, message, work) => guard.act({ label, message, found: window, work });
  const skip = (start) =>
    act("Skip", "Skipped.", (match) => call("skipMaintenanceOccurrence", { windowId: id, match, body: { start } }));
  const unskip = (start) =>
    act("Take it back", "It takes place.", (match) =>
      call("unskipMaintenanceOccurrence", { windowId: id, match, body: { start } }),
    );
  const suspend = () =>
    act("Suspend", "Suspended.", (match) =>
      call("suspendMaintenanceWindow", { windowId: id, match, body: { pattern: "now" } }),
    );
  const resume = () =>
    act("Resume", "Resumed.", (match) => call("resumeMaintenanceWindow", { windowId: id, match, body: {} }));
  const end = () => act("End", "Ended.", (match) => call("endMaintenanceWindow", { windowId: id, match, body: {} }));
  const remove = (body, message) =>
    act("Remove", message, (match) => call("removeMaintenanceTargets", { windowId: id, match, body }));
  const gone = () => {
    onChange();
    refine({ window: "" });
  };
  const open = window.state === "Active";
  const soonest = window.current || window.next;
  const { alertConditions } = window;
  return html`<${Panel}
    title=${window.name}
    id="window"
    actions=${html`<button type="button" class="link" onClick=${() => refine({ window: "" })}>Close</button>`}
  >
    <p>
      <${State} of=${window.state} />${" "}
      ${
        window.current
          ? html`open until <${Time} at=${window.current.end} />`
          : window.next
            ? html`next <${Time} at=${window.next.start} /> to <${Time} at=${window.next.end} />`
            : "no more occurrences"
      }
    </p>
    ${window.description && html`<p>${window.description}</p>`}
    <div class="actions">
      ${
        open &&
        may("extendMaintenanceWindow") &&
        html`<${Button} kind="primary" onClick=${() => setExtending(window)}>Extend…<//>`
      }
      ${
        soonest &&
        may("skipMaintenanceOccurrence") &&
        html`<${Button} onClick=${() => skip(soonest.start)}>${window.current ? "Skip this one" : "Skip the next"}<//>`
      }
      ${
        window.state === "Pending" && may("suspendMaintenanceWindow") && html`<${Button} onClick=${suspend}>Suspend<//>`
      }
      ${
        (window.state === "Suspended" || some(window.suspensions)) &&
        may("resumeMaintenanceWindow") &&
        html`<${Button} onClick=${resume}>Resume<//>`
      }
      ${open && may("endMaintenanceWindow") && html`<${Button} kind="danger" onClick=${end}>End now<//>`}
      <${RecordActions} actions=${actionsOf(window, { gone })} onDone=${done} />
      ${may("matchMaintenanceWindows") && html`<${Button} onClick=${() => setTrying(true)}>Try an alert…<//>`}
    </div>
    <div class="columns">
      <div>
        <${Facts} of=${[
          ["Repeats", repeatWords(window.schedule)],
          ["Suspended", window.suspensions?.map(stretch).join("; ")],
          [
            "Only alerts of",
            alertConditions &&
              alertConditions.rules
                .map((rule) => `${rule.key} ${rule.operator} ${rule.value ?? ""}`)
                .join(alertConditions.matchingType === "ANY" ? " or " : " and "),
          ],
          ["Afterwards", window.runEscalationAction ? "open alerts are escalated" : "open alerts stay suppressed"],
          ["Created by", personName(window.createdBy)],
        ]} />
        ${
          some(window.skipped) &&
          html`
            <h3>Skipped occurrences</h3>
            <ul class="plain-list">
              ${window.skipped?.map(
                (one) => html`<li class="session" key=${one.start}>
                  <span><${Time} at=${one.start} /> to <${Time} at=${one.end} /></span>
                  ${
                    may("unskipMaintenanceOccurrence") &&
                    html`<${Button}
                      aria-label=${`Take back the skip of ${short(millis(one.start))}`}
                      onClick=${() => unskip(one.start)}
                    >
                      Take back
                    <//>`
                  }
                </li>`,
              )}
            </ul>
          `
        }
        <${Occurrences} window=${window} skip=${skip} />
      </div>
      <div>
        <${WindowTargets} window=${window} remove=${remove} />
        ${
          may("listMaintenanceCalendars") &&
          html`
            <h3>Calendar feeds</h3>
            <${Feeds} feeds=${windowFeeds(id)} note="Anyone who has it reads when the window is open." />
          `
        }
      </div>
    </div>
    ${guard.conflict}
    ${extending && html`<${Extend} window=${extending} onClose=${() => setExtending()} onDone=${done} />`}
    ${trying && html`<${TryAlert} window=${window} onClose=${() => setTrying(false)} />`}
  <//>`;
}

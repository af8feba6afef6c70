// Panels beside an alert: jobs that work on its machine, articles that may help, maintenance of the machine.

import { call, may, terms } from "../api.js";
import { Button, Empty, Panel, Time, Trouble, html } from "../elements.js";
import { useAnswer } from "../hooks.js";
import { Snippet } from "../markdown.js";
import { link } from "../route.js";
import { useRunAction } from "./jobform.js";

/** Jobs that work on its machine. */
export function Jobs({ device }) {
  const list = useAnswer(
    (signal) => call("searchJobs", { signal, query: { queryString: terms({ resourceId: device.id }), pageSize: 6 } }),
    device.id,
  );
  const { run, conflict } = useRunAction();
  return html`<${Panel} title="Jobs" id="jobs">
    <${Trouble} problem=${list.problem} />
    ${
      list.data &&
      (list.data.results.length
        ? html`<ul class="plain-list">
            ${list.data.results.map(
              (job) => html`<li class="session">
                <a href=${link(["jobs", job.id])}>${job.name}</a>
                ${
                  may("runJob") &&
                  html`<${Button}
                    aria-label=${`Run now: ${job.name}`}
                    onClick=${() => run(job, `Run requested: “${job.name}”.`)}
                  >
                    Run now
                  <//>`
                }
              </li>`,
            )}
          </ul>`
        : html`<${Empty} title="No jobs for this machine." />`)
    }
    ${conflict}
  <//>`;
}

/** Articles that may help: those with a word of the subject or the metric. */
export function Articles({ alert }) {
  const words = [...new Set(`${alert.metric || ""} ${alert.subject}`.toLowerCase().match(/\p{L}{4,}/gu) || [])].slice(
    0,
    4,
  );
  const found = useAnswer(async (signal) => {
    const pages = await Promise.all(
      words.map((word) => call("searchKbArticles", { signal, query: { query: word, pageSize: 3, state: "ACTIVE" } })),
    );
    const seen = new Map();
    for (const article of pages.flatMap((page) => page.results))
      if (!seen.has(article.id)) seen.set(article.id, article);
    return [...seen.values()].slice(0, 4);
  }, words.join(" "));
  return html`<${Panel} title="Articles" id="articles">
    <${Trouble} problem=${found.problem} />
    ${
      found.data &&
      (found.data.length
        ? html`<ul class="plain-list">
            ${found.data.map(
              (article) => html`<li>
                <a href=${link(["knowledge", article.id])}>${article.title}</a>
                <div class="small dim"><${Snippet} text=${article.snippet} /></div>
              </li>`,
            )}
          </ul>`
        : html`<${Empty} title="No matching articles.">
            <a href=${link("knowledge", { q: alert.metric || alert.subject })}>Search</a>
          <//>`)
    }
  <//>`;
}

/** The windows that cover the machine now. */
export function Windows({ device }) {
  const covered = useAnswer(
    (signal) => call("listActiveMaintenance", { signal, query: { resourceId: device.id } }),
    device.id,
  );
  if (!covered.data?.results.length) return html`<${Trouble} problem=${covered.problem} />`;
  return html`<ul class="plain-list">
    ${covered.data.results.map(
      (cover) => html`<li>
        In maintenance: <a href=${link("maintenance", { window: cover.window.uniqueId })}>${cover.window.name}</a>,
        until <${Time} at=${cover.until} />
      </li>`,
    )}
  </ul>`;
}

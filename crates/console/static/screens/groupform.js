// The form of a device or service group: the rules that make machines members, and how many match them.

import { call, quoted } from "../api.js";
import { fieldsOf } from "../bodyschema.js";
import { count, html } from "../elements.js";
import { useAnswer, useEffect, useState } from "../hooks.js";
import { MACHINE_KEYS, RULE_VALUES } from "../rulekeys.js";
import { RuleLines } from "../rulelines.js";
import { Labelled } from "../schemacontrols.js";

/** What is typed is counted once nobody types for a moment, in milliseconds. */
const WAIT = 400;

const NAMES = {
  hostName: "hostName",
  dnsName: "dnsName",
  dns: "dnsName",
  resourceName: "resourceName",
  aliasName: "aliasName",
  deviceLocation: "deviceLocation",
  location: "deviceLocation",
};
const WHOLE =
  "id serialNumber systemUID ipAddress state type resourceType deviceType template agentProfile gatewayProfile " +
  "instanceId accountNumber installedIntgId agentInstalled appRoles tags";

/** A rule as terms of a filter, `{terms, isWhole, negative}`; undefined where a filter cannot say it. */
function filterOf({ key = "", operator = "", value = "", resourceType }) {
  const typed = key.trim().toLowerCase();
  const negative = operator.startsWith("Not ");
  const how = operator.replace("Not ", "");
  const name = NAMES[Object.keys(NAMES).find((one) => one.toLowerCase() === typed) || ""];
  const whole = WHOLE.split(" ").find((one) => one.toLowerCase() === typed);
  if (!value.trim() || !(name ? how === "Contains" || how === "Equals" : whole && how === "Equals")) return undefined;
  const terms = { [name || whole || ""]: value.trim() };
  const type = resourceType?.trim();
  const typeKey = RULE_VALUES.type.includes(type) ? "type" : "resourceType";
  if (type && terms[typeKey]) return undefined;
  const among = type ? { [typeKey]: type } : {};
  return {
    terms: { ...terms, ...among },
    among,
    isWhole: Boolean(name) && how === "Equals",
    isName: Boolean(name),
    negative,
  };
}

/** How many machines of any state a filter finds. */
async function total(terms, isWhole, signal) {
  const filter = Object.entries(terms).map(([name, value]) => `${name}:${quoted(value)}`);
  if (isWhole) filter.push("isEquals:true");
  const query = { queryString: filter.join("+"), state: "all", pageSize: 1 };
  return (await call("searchResources", { query, signal })).totalResults;
}

/** How many machines a rule holds for; undefined where a filter cannot say it. */
async function countOf(rule, signal) {
  const filter = filterOf(rule);
  if (!filter) return undefined;
  const matching = await total(filter.terms, filter.isWhole, signal);
  return filter.negative ? (await total(filter.among, false, signal)) - matching : matching;
}

/** How many machines meet rules: all in one filter where that can be said, bounds otherwise. */
async function preview({ matchType = "ALL", rules }, signal) {
  const filters = rules.map(filterOf);
  const names = filters.flatMap((filter) => Object.keys(filter?.terms || {}));
  const compared = new Set(filters.filter((filter) => filter?.isName).map((filter) => filter?.isWhole));
  const isOne = filters.every((filter) => filter && !filter.negative) && new Set(names).size === names.length;
  if (rules.length > 1 && matchType === "ALL" && isOne && compared.size < 2)
    return {
      exactly: await total(Object.assign({}, ...filters.map((filter) => filter?.terms)), compared.has(true), signal),
    };
  const counts = await Promise.all(rules.map((rule) => countOf(rule, signal)));
  if (rules.length === 1) return { exactly: counts[0] };
  const counted = counts.filter((one) => one !== undefined);
  if (!counted.length) return {};
  if (matchType === "ALL") return { most: Math.min(...counted) };
  const sum = counted.length === counts.length ? counted.reduce((one, other) => one + other) : undefined;
  return { least: Math.max(...counted), most: sum };
}

/** What a preview says. @param {{exactly?: number, least?: number, most?: number}} found */
function words({ exactly, least, most }) {
  const machines = (number) => `${count(number)} ${number === 1 ? "machine" : "machines"}`;
  if (exactly !== undefined) return `${machines(exactly)} ${exactly === 1 ? "matches" : "match"} now.`;
  if (least !== undefined && most !== undefined) return `Between ${count(least)} and ${machines(most)} match now.`;
  if (least !== undefined) return `At least ${machines(least)} match now.`;
  if (most !== undefined) return `At most ${machines(most)} match now.`;
  return "How many match is shown once the group is saved.";
}

/** How many machines match the rules that are typed. */
function Preview({ criteria }) {
  const key = JSON.stringify(criteria);
  const [settled, setSettled] = useState(key);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(key), WAIT);
    return () => clearTimeout(timer);
  }, [key]);
  const found = useAnswer((signal) => preview(JSON.parse(settled), signal), settled);
  const text =
    settled !== key || found.loading ? "Counting…" : found.problem ? found.problem.message : words(found.data);
  return html`<p class="hint" role="status">${text}</p>`;
}

/** The control of `filterCriteria`: rules, whether all of them have to hold, and a preview. */
function Criteria({ field, path, value, onValue, problem }) {
  const types = useAnswer((signal) => call("listDeviceTypes", { signal }), "types");
  const rules = value?.rules || [];
  const names = new Set([...RULE_VALUES.type, ...(types.data || []).map((type) => type.name)]);
  const put = (change) => onValue({ matchType: "ALL", ...value, rules, ...change });
  return html`<div class="wide fields">
    <p class="wide hint">
      Machines that match the rules are members as long as they do, beside those that are added by hand.
    </p>
    <${RuleLines}
      label="Rules"
      field=${{ ...fieldsOf(field).rules, keys: MACHINE_KEYS, types: [...names] }}
      path=${`${path}.rules`}
      value=${rules}
      onValue=${(next) => put({ rules: next })}
      problem=${problem}
    />
    ${
      rules.length > 1 &&
      html`<${Labelled} label="A member has to match">
        ${(rest) => html`<select ...${rest} onChange=${(event) => put({ matchType: event.target.value })}>
          <option value="ALL" selected=${value?.matchType !== "ANY"}>all rules</option>
          <option value="ANY" selected=${value?.matchType === "ANY"}>one of the rules</option>
        </select>`}
      <//>`
    }
    ${rules.length > 0 && html`<div class="wide"><${Preview} criteria=${{ ...value, rules }} /></div>`}
  </div>`;
}

/** The layout of the form of a group. @returns {import("../schemafield.js").Layout} */
export const layoutOf = (kind) => ({
  order: ["name", "parent", "description", "filterCriteria"],
  omit: ["id", "uniqueId"],
  labels: { parent: "Parent group" },
  fields: { parent: { about: "" }, name: { required: true, about: "" } },
  controls: { filterCriteria: Criteria },
  within: { kind },
});

/** A change as the service takes it: a group without a parent stands at the top. */
export const groupChange = (request) => (request.parent === null ? { ...request, parent: {} } : request);

// The control of a list of rules: rows of key, operator and value. Known keys are offered, unknown ones warned about. A
// form uses it by its layout: `controls: {rules: RuleLines}, fields: {rules: {keys: ALERT_KEYS}}`.

import { fieldsOf } from "./bodyschema.js";
import { Button, html } from "./elements.js";
import { useState } from "./hooks.js";
import { RULE_VALUES, isKey, similarKey } from "./rulekeys.js";
import { errorsOf } from "./schemacontrols.js";

let number = 0;

/**
 * The operators of a rule: the words of its field, or those that its description quotes.
 * @param {Partial<import("./bodyschema.js").BodyField>} field
 * @returns {string[]}
 */
const operatorsOf = ({ words, about = "" }) => words || [...about.matchAll(/`([^`]+)`/g)].map(([, word]) => word);

/** Operators that compare with nothing. */
const ALONE = ["Changed"];

/** Why a key holds for nothing; "" where it is known. */
function warningOf(keys, { key = "", broken = "" }) {
  if (broken) return broken;
  if (!keys || !key.trim() || isKey(keys, key)) return "";
  const similar = similarKey(keys, key);
  return `“${key}” is not a known key${similar ? `; did you mean “${similar}”?` : ""}`;
}

/**
 * The rules of a field whose elements have `key`, `operator` and `value`. `field.keys` are the known keys and
 * `field.values` the values that are offered, by key. Elements that have a `resourceType` get it with `field.types`.
 * @param {{
 *   field: any, label: string, path: string, value?: any[], onValue: (rules: any[]) => void, problem?: any,
 * }} given
 */
export function RuleLines({ field, label, path, value = [], onValue, problem }) {
  const [id] = useState(() => `r${++number}`);
  const fields = fieldsOf(field.items);
  const operators = operatorsOf(fields.operator || {});
  const { keys, types, values = RULE_VALUES } = field;
  const own = errorsOf(problem, path, false);
  const put = (at, change) =>
    onValue(value.map((rule, place) => (place === at ? { ...rule, ...change, broken: undefined } : rule)));
  const add = () =>
    onValue([...value, { key: "", operator: operators.includes("Equals") ? "Equals" : operators[0], value: "" }]);
  const line = (rule, at) => {
    const errors = errorsOf(problem, `${path}[${at}]`);
    const warning = warningOf(keys, rule);
    const said = errors.map((error) => error.message).join("; ") || warning;
    const control = (name, words) => ({
      "aria-label": `${words} of rule ${at + 1}`,
      "aria-describedby": said ? `${id}w${at}` : undefined,
      "aria-invalid": errors.some((error) => error.fieldName.endsWith(`.${name}`)) ? "true" : undefined,
      onInput: (event) => put(at, { [name]: event.target.value }),
    });
    const offered =
      values[Object.keys(values).find((one) => one.toLowerCase() === (rule.key || "").toLowerCase()) || ""];
    return html`<div class="rule" key=${at}>
      <input
        ...${control("key", "Key")}
        placeholder="Key"
        list=${keys ? `${id}k` : undefined}
        value=${rule.key}
        maxlength="200"
        required
        autocomplete="off"
        spellcheck=${false}
      />
      <select ...${control("operator", "Operator")}>
        ${operators.map((word) => html`<option value=${word} selected=${word === rule.operator}>${word}</option>`)}
      </select>
      ${
        ALONE.includes(rule.operator)
          ? html`<span></span>`
          : html`<input
              ...${control("value", "Value")}
              placeholder="Value"
              list=${offered ? `${id}v${at}` : undefined}
              value=${rule.value ?? ""}
              maxlength="1000"
              required
              autocomplete="off"
            />`
      }
      ${
        types &&
        fields.resourceType &&
        html`<input
          ...${control("resourceType", "Type")}
          placeholder="Any type"
          list=${`${id}t`}
          value=${rule.resourceType ?? ""}
          autocomplete="off"
        />`
      }
      <${Button}
        aria-label=${`Remove rule ${at + 1}`}
        onClick=${() => onValue(value.filter((_, place) => place !== at))}
      >
        ✕
      <//>
      ${
        offered && html`<datalist id=${`${id}v${at}`}>${offered.map((one) => html`<option value=${one} />`)}</datalist>`
      }
      ${said && html`<p id=${`${id}w${at}`} class="wrong">${said}</p>`}
    </div>`;
  };
  return html`<fieldset class="group wide">
    <legend>${label}</legend>
    ${own.map((error) => html`<p class="wrong">${error.message}</p>`)} ${value.map(line)}
    ${
      keys &&
      html`<datalist id=${`${id}k`}>
      ${[...keys.names, ...keys.open.map((one) => `${one}.`)].map((one) => html`<option value=${one} />`)}
    </datalist>`
    }
    ${types && html`<datalist id=${`${id}t`}>${types.map((one) => html`<option value=${one} />`)}</datalist>`}
    ${!(value.length >= (field.max || 50)) && html`<${Button} onClick=${add}>Add rule<//>`}
  </fieldset>`;
}

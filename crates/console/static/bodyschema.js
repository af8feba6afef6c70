// The bodies of requests as forms.js has them from the document: their fields, and how values become a request.

import { bodies, schemas } from "./forms.js";

/**
 * A field of a body, an element of a list, or a whole body.
 * @typedef {{
 *   type: string, schema?: string, items?: BodyField, words?: any[], says?: Record<string, string>,
 *   format?: string, max?: number, min?: number,
 *   required?: boolean, default?: any, about?: string, refers?: string,
 * }} BodyField
 */

/** @type {Record<string, {about?: string, fields?: Record<string, BodyField>, variants?: any, by?: string}>} */
const all = /** @type {any} */ (schemas);

/** @returns {BodyField} the body of an operation. */
export const bodyOf = (operation) => /** @type {any} */ (bodies)[operation];

/** The schema of an object. */
export const schemaOf = (field) => all[field?.schema] || {};

/**
 * The fields of an object. Of alternatives without a word that tells them apart, those of the first.
 * @returns {Record<string, BodyField>}
 */
export function fieldsOf(field) {
  const schema = schemaOf(field);
  if (schema.fields) return schema.fields;
  if (schema.variants && !schema.by) return all[/** @type {any} */ (Object.values(schema.variants)[0])]?.fields || {};
  return {};
}

/** The alternatives of an object that are told apart by a word in a field: `{by, words}`, word → schema. */
export function variantsOf(field) {
  const { variants, by } = schemaOf(field);
  return variants && by ? { by, words: variants } : undefined;
}

const WORDS = { ip: "IP", id: "ID", uri: "URI", url: "URL", os: "OS", uid: "UID", api: "API", cron: "Cron expression" };

/** The name of a field as people read it: `timeZone` is “Time zone”. */
export function labelOf(name) {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(" ")
    .map((word) => WORDS[word.toLowerCase()] || (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()));
  const text = words.join(" ");
  return text[0].toUpperCase() + text.slice(1);
}

/** Sentences that say no more than the label does. */
const SAYS_NOTHING =
  /^(any text|what people call it|text|a description|what it is for|city|country|a number|its name|default (true|false))[.:;]?$/i;

/** The first sentence of what the document says about a field, without the marks of code. */
export function hintOf(field) {
  const text = (field.about || "").replace(/`/g, "");
  const first = /^.*?[.:;?](?=\s|$)/.exec(text)?.[0] || text;
  const sentence = first.replace(/[,;]? default (true|false)\.?$/i, "");
  return SAYS_NOTHING.test(sentence) ? "" : sentence.replace(/[.:;]$/, "");
}

/** Whether a field holds what the service never shows again, as the document says of it. */
export const isSecret = (field) => /never shown|write-only/i.test(field?.about || "");

/** A value of a form without what is secret in it. */
export function withoutSecrets(field, value) {
  if (value === null || typeof value !== "object" || field?.refers) return value;
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(field?.items, one));
  const variants = variantsOf(field);
  const fields = fieldsOf(variants ? { schema: variants.words[value[variants.by]] } : field);
  const kept = Object.entries(value).filter(([name]) => !isSecret(fields[name]));
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutSecrets(fields[name], one)]));
}

/** Which of the keys by which records are named a reference takes. */
function referenceKey(field) {
  const fields = Object.keys(fieldsOf(field));
  return ["uniqueId", "id", "name"].find((key) => fields.includes(key)) || "id";
}

/**
 * A reference to a record, as a request has it: `{id}`, `{uniqueId}` or `{name}`; a text names the record itself, and
 * `{typed}` is a name that was typed.
 */
export function referenceTo(field, record) {
  if (record.typed !== undefined)
    return field.type === "text" ? record.typed : { [fieldsOf(field).hostName ? "hostName" : "name"]: record.typed };
  if (typeof record === "string") return field.type === "text" ? record : { [referenceKey(field)]: record };
  if (field.type === "text") return record.hostName || record.name || record.id || record.uniqueId;
  const key = referenceKey(field);
  const value = record[key] ?? record.uniqueId ?? record.id ?? record.name;
  return { [key]: fieldsOf(field)[key]?.type === "text" ? String(value) : value };
}

/** The schema that a value has: of alternatives without a word, the first whose required fields are there. */
function alternativeOf(field, value) {
  const { variants = {} } = schemaOf(field);
  const fits = (name) =>
    Object.entries(fieldsOf({ type: "object", schema: name })).every(
      ([key, one]) => !one.required || value[key] !== undefined,
    );
  return Object.values(variants).find(fits) || field.schema;
}

const isEmpty = (value) => value === undefined || value === null || value === "";

/**
 * A value of a form as a request has it; undefined where nothing is to be sent. In a change an empty text is sent,
 * since it removes a value.
 */
export function requestOf(field, value, isChange = false) {
  if (value === undefined) return undefined;
  if (value === null) return isChange && field.type === "text" ? "" : undefined;
  if (value === "") return (isChange || field.required) && field.type === "text" ? "" : undefined;
  if (field.refers && field.type !== "list") return referenceTo(field, value);
  if (field.type === "list")
    return value.map((element) => requestOf(field.items, element)).filter((element) => element !== undefined);
  if (field.type !== "object") return value;
  const variants = variantsOf(field);
  const schema = variants ? variants.words[value[variants.by]] : alternativeOf(field, value);
  const fields = fieldsOf({ schema });
  if (!Object.keys(fields).length) return value;
  const request = {};
  for (const [name, one] of Object.entries(fields)) {
    const sent = requestOf(one, value[name]);
    if (sent !== undefined) request[name] = sent;
  }
  return request;
}

/** What a record has in a field, in few words. */
export function wordsOf(value) {
  if (isEmpty(value)) return "";
  if (Array.isArray(value)) return value.map(wordsOf).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object") return String(value);
  const person = [value.firstName, value.lastName].filter(Boolean).join(" ");
  const name =
    person || value.name || value.displayName || value.hostName || value.subject || value.title || value.loginName;
  if (name) return String(name);
  return Object.entries(value)
    .filter(([, part]) => !isEmpty(part))
    .map(([key, part]) => `${key}: ${wordsOf(part)}`)
    .join("; ");
}

/** What a form for an empty object begins with: its first variant, and an element in each list that needs one. */
export function startOf(field) {
  if (field.type === "list") {
    const first = field.min ? startOf(field.items) : undefined;
    return first && [first];
  }
  if (field.type !== "object" || field.refers) return undefined;
  const variants = variantsOf(field);
  const word = variants && Object.keys(variants.words)[0];
  const value = variants ? { [variants.by]: word } : {};
  const fields = fieldsOf(variants ? { schema: variants.words[/** @type {string} */ (word)] } : field);
  for (const [name, one] of Object.entries(fields)) {
    const begun = one.required && !(name in value) ? startOf(one) : undefined;
    if (begun !== undefined) value[name] = begun;
  }
  return value;
}

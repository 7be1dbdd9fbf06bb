// From what a client sends to what is kept: canonical names, the right types, nothing that the schema does
// not have.
import { type Attribute, COMMON, type Document, type ResourceKind } from '../schema/attribute.ts';
import { attributeNamed } from '../schema/place.ts';
import { valueInvalid } from '../error.ts';
import { readCustom } from './custom.ts';

/** Characters of one text. */
const MAX_TEXT = 1_024;
/** Values of one attribute. */
export const MAX_VALUES = 100;

/**
 * A whole resource. Attributes that there are not, and those that only the server writes, are passed over
 * (RFC 7644 §3.3). Of the extension, they may be beside the others too, as some clients send them.
 * `members` of groups stay as they were sent: group/members.ts reads them. @throws BadRequest
 * scim_value_invalid
 */
export function readResource(kind: ResourceKind, sent: Document): Document {
  const read = members([...COMMON, ...kind.schema.attributes], sent, '');
  if (!kind.extension) return read;
  const { id, name, attributes } = kind.extension;
  const [, own] = Object.entries(sent).find(([key]) => key.toLowerCase() === id.toLowerCase()) ?? [];
  const inside = { ...members(attributes, sent, ''), ...(own !== undefined && own !== null && members(attributes, requireObject(own, name), '')) };
  if (Object.keys(inside).length > 0) read[id] = inside;
  return { ...read, ...readCustom(kind, sent) };
}

/**
 * `value` as the attribute has it; undefined: unassigned (RFC 7643 §2.5). @throws BadRequest
 * scim_value_invalid
 */
export function readValue(attribute: Attribute, value: unknown, path: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (!attribute.multiValued) return readOne(attribute, value, path);
  const values = (Array.isArray(value) ? value : [value]).flatMap((one) => {
    const read = readOne(attribute, one, path);
    return read === undefined ? [] : [read];
  });
  if (values.length > MAX_VALUES) throw valueInvalid(`"${path}" may have at most ${MAX_VALUES} values`);
  return values.length === 0 ? undefined : onePrimary(values, values.findLastIndex(isPrimary));
}

/**
 * One of the values of an attribute, or its only one: some clients send that in a list, or as `{ "primary":
 * true, "value": "x" }`.
 */
export function readOne(attribute: Attribute, sent: unknown, path: string): unknown {
  const one: unknown = Array.isArray(sent) ? (sent.find(isPrimary) ?? sent[0]) : sent;
  if (attribute.type === 'complex') return one === null || one === undefined ? undefined : complex(attribute, one, path);
  const value: unknown = typeof one === 'object' && one !== null && 'value' in one ? one.value : one;
  if (value === null || value === undefined) return undefined;
  return attribute.type === 'boolean' ? readBoolean(value, path) : readText(value, path);
}

/** Entra sends the manager, and some send addresses of mail, as a text or a number. */
function complex(attribute: Attribute, value: unknown, path: string): unknown {
  const parts = attribute.subAttributes ?? [];
  const whole = typeof value !== 'object' && attributeNamed(parts, 'value') ? { value } : requireObject(value, path);
  const read = members(parts, whole, path);
  return Object.keys(read).length === 0 ? undefined : read;
}

function members(attributes: readonly Attribute[], sent: Document, path: string): Document {
  const read: Document = {};
  for (const [name, value] of Object.entries(sent)) {
    const attribute = attributeNamed(attributes, name);
    if (!attribute || attribute.mutability === 'readOnly' || attribute.mutability === 'ignored') continue;
    const of = path === '' ? attribute.name : `${path}.${attribute.name}`;
    if (read[attribute.name] !== undefined) throw valueInvalid(`"${of}" is there twice`);
    const canonicalValue = attribute.name === 'members' ? value : readValue(attribute, value, of);
    if (canonicalValue !== undefined) read[attribute.name] = canonicalValue;
  }
  return read;
}

export function requireObject(value: unknown, path: string): Document {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw valueInvalid(`"${path}" is an object of attributes`);
  return { ...value };
}

/** Entra sends "True" and "False", others 1 and 0. */
function readBoolean(value: unknown, path: string): boolean {
  const word = String(value).toLowerCase();
  if (typeof value === 'object' || !['true', 'false', '1', '0'].includes(word)) throw valueInvalid(`"${path}" is true or false`);
  return word === 'true' || word === '1';
}

/** Directories keep numbers of employees and rooms as numbers. */
function readText(value: unknown, path: string): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text !== 'string') throw valueInvalid(`"${path}" is text`);
  if (text.length > MAX_TEXT) throw valueInvalid(`"${path}" may have at most ${MAX_TEXT} characters`);
  return text === '' ? undefined : text;
}

function isPrimary(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'primary' in value && value.primary === true;
}

/** At most one value is the primary one (RFC 7643 §2.4): the last that was said to be. */
export function onePrimary(values: readonly unknown[], at: number): unknown[] {
  return values.map((value, index) => (isPrimary(value) && index !== at ? { ...Object(value), primary: false } : value));
}

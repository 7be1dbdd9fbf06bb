// From what a client sends to what is kept: canonical names, the right types, nothing that the schema does not have.
import { type Attribute, COMMON, type Document, type ResourceKind } from '../schema/attribute.ts';
import { named } from '../schema/place.ts';
import { valueInvalid } from '../error.ts';

/** Characters of one text. */
const MAX_TEXT = 1_024;
/** Values of one attribute. */
export const MAX_VALUES = 100;

/**
 * A whole resource. Attributes that there are not, and those that only the server writes, are passed over (RFC 7644 §3.3).
 * `members` of groups stay as they were sent: group/members.ts reads them. @throws BadRequest scim_value_invalid
 */
export function readDocument(kind: ResourceKind, sent: Document): Document {
  const read = members([...COMMON, ...kind.schema.attributes], sent, '');
  const extension = kind.extension && Object.entries(sent).find(([name]) => name.toLowerCase() === kind.extension?.id.toLowerCase());
  if (kind.extension && extension && extension[1] !== null) {
    const inside = members(kind.extension.attributes, objectOf(extension[1], kind.extension.name), '');
    if (Object.keys(inside).length > 0) read[kind.extension.id] = inside;
  }
  return read;
}

/** `value` as the attribute has it; undefined: unassigned (RFC 7643 §2.5). @throws BadRequest scim_value_invalid */
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

/** One of the values of an attribute, or its only one. */
export function readOne(attribute: Attribute, value: unknown, path: string): unknown {
  if (value === null) return undefined;
  switch (attribute.type) {
    case 'complex':
      return complex(attribute, value, path);
    case 'boolean':
      return readBoolean(value, path);
    default:
      return readText(value, path);
  }
}

/** Entra sends the manager, and some send addresses of mail, as a text. */
function complex(attribute: Attribute, value: unknown, path: string): unknown {
  const parts = attribute.subAttributes ?? [];
  const whole = typeof value === 'string' && named(parts, 'value') ? { value } : objectOf(value, path);
  const read = members(parts, whole, path);
  return Object.keys(read).length === 0 ? undefined : read;
}

function members(attributes: readonly Attribute[], sent: Document, path: string): Document {
  const read: Document = {};
  for (const [name, value] of Object.entries(sent)) {
    const attribute = named(attributes, name);
    if (!attribute || attribute.mutability === 'readOnly' || attribute.mutability === 'ignored') continue;
    const of = path === '' ? attribute.name : `${path}.${attribute.name}`;
    if (read[attribute.name] !== undefined) throw valueInvalid(`"${of}" is there twice`);
    const kept = attribute.name === 'members' ? value : readValue(attribute, value, of);
    if (kept !== undefined) read[attribute.name] = kept;
  }
  return read;
}

export function objectOf(value: unknown, path: string): Document {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw valueInvalid(`"${path}" is an object of attributes`);
  return { ...value };
}

/** Entra sends "True" and "False". */
function readBoolean(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  if (word !== 'true' && word !== 'false') throw valueInvalid(`"${path}" is true or false`);
  return word === 'true';
}

function readText(value: unknown, path: string): string | undefined {
  if (typeof value !== 'string') throw valueInvalid(`"${path}" is text`);
  if (value.length > MAX_TEXT) throw valueInvalid(`"${path}" may have at most ${MAX_TEXT} characters`);
  return value === '' ? undefined : value;
}

function isPrimary(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'primary' in value && value.primary === true;
}

/** At most one value is the primary one (RFC 7643 §2.4): the last that was said to be. */
export function onePrimary(values: readonly unknown[], at: number): unknown[] {
  return values.map((value, index) => (isPrimary(value) && index !== at ? { ...Object(value), primary: false } : value));
}

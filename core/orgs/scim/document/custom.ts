// Extensions of a client's own (RFC 7643 §3.3), such as Entra's and Okta's custom attributes: no schema here
// describes them, so they are kept as they were sent, under their URNs, and answered so. No filter finds
// them, and nothing follows from them.
import { isDeepStrictEqual } from 'node:util';
import type { Document, ResourceKind } from '../schema/attribute.ts';
import type { AttributePath } from '../schema/place.ts';
import { valueInvalid } from '../error.ts';

/** Characters of JSON, of all of a resource. */
const MAX_JSON = 16_384;
const MAX_LIST = 100;
const URN = /^urn:[\da-z][\da-z-]{0,31}(?::[\w.~%+-]{1,100}){1,12}$/i;
/**
 * The URN of a schema ends with its version and what it extends: `urn:…:2.0:User`; Okta's own with one word
 * more. What follows is an attribute.
 */
const WHOLE = /:\d+(?:\.\d+)*:[a-z]\w*$|^urn:okta:.+:user:custom$/i;
const NAME = /^[a-z][\w$-]{0,99}$/i;
/** Of the protocol itself. */
const OF_PROTOCOL = /^urn:ietf:params:scim:(?:api|schemas:core):/i;

function isCustom(kind: ResourceKind, urn: string): boolean {
  return kind.keepsCustom === true && URN.test(urn) && !OF_PROTOCOL.test(urn) && urn.toLowerCase() !== kind.extension?.id.toLowerCase();
}

/** `urn:…:2.0:User` and `urn:…:2.0:User:badge`. Undefined: it names neither. */
export function customPlace(kind: ResourceKind, path: string): AttributePath | undefined {
  if (WHOLE.test(path)) return isCustom(kind, path) ? placeAt(path) : undefined;
  const at = path.lastIndexOf(':');
  const [urn, name] = [path.slice(0, at), path.slice(at + 1)];
  return isCustom(kind, urn) && NAME.test(name) ? { ...placeAt(urn), sub: { name, type: 'custom', description: '' } } : undefined;
}

function placeAt(urn: string): AttributePath {
  return { extension: undefined, attribute: { name: urn, type: 'custom', description: '' }, sub: undefined };
}

/** Those of a whole resource. */
export function readCustom(kind: ResourceKind, sent: Document): Document {
  const extensions = Object.entries(sent).flatMap(([urn, value]) => {
    const read = isCustom(kind, urn) ? membersOf(value) : {};
    return Object.keys(read).length === 0 ? [] : [[urn, read] as const];
  });
  return Object.fromEntries(extensions);
}

interface Change {
  op: 'add' | 'replace' | 'remove';
  place: AttributePath;
  value: unknown;
}

/** The extension after the change; undefined: nothing is left of it. */
export function changedCustom({ op, place: { sub }, value }: Change, before: unknown): Document | undefined {
  const current: Document = { ...Object(before ?? {}) };
  if (!sub) return op === 'remove' ? undefined : orNone({ ...current, ...inCaseOf(current, membersOf(value)) });
  const name = nameIn(current, sub.name);
  const { [name]: was, ...rest } = current;
  const next = op === 'replace' ? value : op === 'add' ? added(was, value) : without(was, value);
  return orNone(isUnassigned(next) ? rest : { ...rest, [name]: next });
}

function added(was: unknown, value: unknown): unknown {
  if (isUnassigned(value)) return was;
  return Array.isArray(was) ? [...was, ...listOf(value).filter((one) => !listOf(was).some((has) => isDeepStrictEqual(has, one)))] : value;
}

function without(was: unknown, value: unknown): unknown {
  if (isUnassigned(value) || !Array.isArray(was)) return undefined;
  return listOf(was).filter((one) => !listOf(value).some((gone) => isDeepStrictEqual(gone, one)));
}

/** Of which each is compared with each. */
function listOf(value: unknown): unknown[] {
  const list = [value].flat();
  if (list.length > MAX_LIST) throw valueInvalid(`An attribute of an extension may have at most ${MAX_LIST} values: send fewer`);
  return list;
}

/** Names have no case (RFC 7643 §2.1): the one that is there already. */
export function nameIn(document: Document, name: string): string {
  const lower = name.toLowerCase();
  return Object.keys(document).find((one) => one.toLowerCase() === lower) ?? name;
}

function inCaseOf(current: Document, members: Document): Document {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [nameIn(current, name), value]));
}

function membersOf(value: unknown): Document {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([name, one]) => NAME.test(name) && !isUnassigned(one)));
}

/** RFC 7643 §2.5. */
function isUnassigned(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function orNone(members: Document): Document | undefined {
  return Object.keys(members).length === 0 ? undefined : members;
}

export function customUrns(kind: ResourceKind, document: Document): string[] {
  return Object.keys(document).filter((name) => isCustom(kind, name));
}

/** @throws BadRequest scim_value_invalid where the extensions of a resource are too large */
export function requireCustomRoom(kind: ResourceKind, document: Document): void {
  const size = customUrns(kind, document).reduce((sum, urn) => sum + urn.length + JSON.stringify(document[urn]).length, 0);
  if (size > MAX_JSON) throw valueInvalid(`Extensions of a resource may have at most ${MAX_JSON} characters of JSON: send fewer attributes`);
}

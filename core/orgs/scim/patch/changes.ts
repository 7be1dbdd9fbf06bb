// From the operations of a PATCH, in any dialect, to a list of changes, each of one attribute (RFC 7644
// §3.5.2).
import { type Attribute, type Document, type ResourceKind } from '../schema/attribute.ts';
import { isExtension, type AttributePath, parseAttributePath } from '../schema/place.ts';
import { noTarget, pathInvalid, readOnly, syntaxInvalid } from '../error.ts';
import { customPlace } from '../document/custom.ts';
import { requireObject } from '../document/read.ts';
import { type Filter, parseFilter } from '../filter/parse.ts';

const MAX_OPERATIONS = 1_000;
const MAX_PATH = 4_096;
const OPS = ['add', 'replace', 'remove'] as const;

export interface ScimChange {
  op: (typeof OPS)[number];
  place: AttributePath;
  /** Which of the attribute's values; undefined: all. */
  filter: Filter | undefined;
  value: unknown;
  /** As the client wrote it. */
  path: string;
}

export interface PatchOperation {
  op?: unknown;
  path?: unknown;
  value?: unknown;
}

/**
 * An attribute that there is not costs the others nothing: directories map more than is kept here. Where
 * there is nothing else, the client learns it.
 * @throws BadRequest scim_syntax_invalid, scim_path_invalid, scim_filter_invalid, scim_no_target,
 * scim_attribute_read_only, scim_value_invalid
 */
export function changesOf(kind: ResourceKind, operations: readonly PatchOperation[]): ScimChange[] {
  if (operations.length > MAX_OPERATIONS) throw syntaxInvalid(`A request may have at most ${MAX_OPERATIONS} operations: send several requests`);
  const changes = operations.map((operation) => changesOfOne(kind, operation));
  if (!changes.some(Boolean)) throw pathInvalid(`there is no attribute "${String(operations[0]?.path).slice(0, 100)}"`);
  return changes.flatMap((some) => some ?? []);
}

/** Undefined: of an attribute that there is not. */
function changesOfOne(kind: ResourceKind, operation: PatchOperation): ScimChange[] | undefined {
  // Entra writes Add, Replace and Remove.
  const word = typeof operation.op === 'string' ? operation.op.toLowerCase() : '';
  const op = OPS.find((known) => known === word);
  if (!op) throw syntaxInvalid('Each operation has an "op": add, replace or remove');
  const { path, value } = operation;
  if (path !== undefined && path !== null && typeof path !== 'string') throw pathInvalid('it is text');
  if (typeof path === 'string' && path !== '' && path.toLowerCase() !== kind.schema.id.toLowerCase())
    return isExtension(kind, path) ? ofExtension(kind, op, path, value) : atPath(kind, op, path, value);
  if (op === 'remove') throw noTarget('An operation "remove" needs a path');
  return Object.entries(requireObject(value, 'value')).flatMap(([key, each]) => atKey(kind, op, key, each));
}

/**
 * Without a path the value is an object; its keys are names, and paths too: `name.givenName`, `emails[type eq
 * "work"].value`, with a URN before them.
 */
function atKey(kind: ResourceKind, op: ScimChange['op'], key: string, value: unknown): ScimChange[] {
  if (isExtension(kind, key)) return value === null ? ofExtension(kind, 'remove', key, undefined) : ofExtension(kind, op, key, value);
  const parsed = parsePath(kind, key);
  // Clients send whole resources, with what they were sent: that is passed over, as in a PUT.
  return parsed === undefined || isFixed(parsed.place) ? [] : [{ op, ...parsed, value, path: key }];
}

function ofExtension(kind: ResourceKind, op: ScimChange['op'], path: string, value: unknown): ScimChange[] {
  const { id = '', attributes = [] } = kind.extension ?? {};
  if (op === 'remove')
    return attributes.map((attribute) => ({ op, place: { extension: id, attribute, sub: undefined }, filter: undefined, value: undefined, path }));
  return Object.entries(requireObject(value, path)).flatMap(([name, each]) => atKey(kind, op, `${id}:${name}`, each));
}

function atPath(kind: ResourceKind, op: ScimChange['op'], path: string, value: unknown): ScimChange[] | undefined {
  const parsed = parsePath(kind, path);
  if (!parsed) return undefined;
  const { attribute, sub } = parsed.place;
  const fixed = [attribute, sub].find((one) => one?.mutability === 'readOnly' || (one === sub && one?.mutability === 'immutable'));
  if (fixed) throw readOnly(fixed.name);
  return attribute.mutability === 'ignored' ? [] : [{ op, ...parsed, value, path }];
}

function isFixed({ attribute, sub }: AttributePath): boolean {
  const fixed = (one: Attribute | undefined): boolean => one?.mutability === 'readOnly' || one?.mutability === 'ignored';
  return fixed(attribute) || fixed(sub);
}

/**
 * `emails`, `name.givenName`, `emails[type eq "work"]`, `emails[type eq "work"].value`. Undefined for an
 * attribute that there is not.
 */
function parsePath(kind: ResourceKind, path: string): Pick<ScimChange, 'place' | 'filter'> | undefined {
  if (path.length > MAX_PATH) throw pathInvalid(`it may have at most ${MAX_PATH} characters`);
  const open = path.indexOf('[');
  if (open === -1) {
    const place = parseAttributePath(kind, path) ?? customPlace(kind, path);
    return place && { place, filter: undefined };
  }
  const inside = /^\[(.*)\](?:\.([\w$]+))?$/s.exec(path.slice(open));
  if (!inside) throw pathInvalid('a bracket in it is not closed');
  const name = path.slice(0, open);
  const whole = parseAttributePath(kind, name);
  if (!whole) return undefined;
  if (!whole.attribute.multiValued || whole.sub) throw pathInvalid(`"${name}" has one value: leave the filter out`);
  const [, filter = '', part] = inside;
  const place = part === undefined ? whole : parseAttributePath(kind, `${name}.${part}`);
  return place && { place, filter: parseFilter(filter) };
}

export function operationsOf(body: Document): PatchOperation[] {
  const [, operations] = Object.entries(body).find(([name]) => name.toLowerCase() === 'operations') ?? [];
  if (!Array.isArray(operations) || operations.length === 0) throw syntaxInvalid('A PATCH has a list "Operations" that is not empty');
  return operations.map((one: unknown) => ({ ...requireObject(one, 'Operations') }));
}

// One change of a PATCH on a document. Documents hold canonical names and values only, and this keeps them
// so.
import { isDeepStrictEqual } from 'node:util';
import { type Attribute, type Document, fold } from '../schema/attribute.ts';
import { noTarget, readOnly, valueInvalid } from '../error.ts';
import { changedCustom, nameIn } from '../document/custom.ts';
import { MAX_VALUES, onePrimary, readOne, readValue } from '../document/read.ts';
import type { Filter } from '../filter/parse.ts';
import { matches } from '../filter/match.ts';
import type { ScimChange } from './changes.ts';

/**
 * Changes `document`. @throws BadRequest scim_value_invalid, scim_no_target, scim_filter_invalid,
 * scim_attribute_read_only
 */
export function applyChange(document: Document, change: ScimChange): void {
  const { extension, attribute } = change.place;
  const holder = extension === undefined ? document : { ...Object(document[extension]) };
  const name = attribute.type === 'custom' ? nameIn(holder, attribute.name) : attribute.name;
  const value = changed(change, holder[name]);
  if (value === undefined) delete holder[name];
  else holder[name] = value;
  if (attribute.required && value === undefined) throw readOnly(attribute.name);
  if (extension === undefined) return;
  if (Object.keys(holder).length === 0) delete document[extension];
  else document[extension] = holder;
}

/** The new value; undefined: unassigned. */
function changed(change: ScimChange, before: unknown): unknown {
  const { attribute, sub } = change.place;
  if (attribute.type === 'custom') return changedCustom(change, before);
  if (attribute.multiValued) return change.filter || sub ? chosenValues(change, listOf(before)) : allValues(change, listOf(before));
  if (sub) return withPart(objectOr(before), sub, change);
  if (change.op === 'remove') return undefined;
  const value = readValue(attribute, change.value, change.path);
  if (attribute.type !== 'complex' || value === undefined) return value === undefined && change.op === 'add' ? before : value;
  // Parts that the value does not name stay.
  return { ...objectOr(before), ...Object(value) };
}

function allValues({ op, place: { attribute }, value, path }: ScimChange, before: unknown[]): unknown {
  if (op === 'remove')
    return value === undefined || value === null ? undefined : filterValues(before, (one) => !listOf(value).some((gone) => isLike(attribute, one, gone, path)));
  const read = listOf(readValue(attribute, value, path));
  if (op === 'replace') return filterValues(read, () => true);
  const added = read.filter((one, at) => ![...before, ...read.slice(0, at)].some((has) => isDeepStrictEqual(has, one)));
  return bounded([...before, ...added], added.findLastIndex(isPrimary) + before.length, added.some(isPrimary), path);
}

/** Of a value that is to go, as far as the client describes it. */
function isLike(attribute: Attribute, value: unknown, described: unknown, path: string): boolean {
  const parts = Object(readOne(attribute, described, path) ?? {}) as Document;
  const names = Object.keys(parts);
  return (
    names.length > 0 &&
    names.every((name) =>
      sameText(
        attribute.subAttributes?.find((part) => part.name === name),
        Reflect.get(Object(value), name),
        parts[name],
      ),
    )
  );
}

function sameText(part: Attribute | undefined, a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && !part?.caseExact ? fold(a) === fold(b) : a === b;
}

/** Those that the filter chooses, or all of them where only a part of each is meant. */
function chosenValues(change: ScimChange, before: unknown[]): unknown {
  const { op, place, filter, path } = change;
  const { attribute, sub } = place;
  const chosen = before.map((value) => filter === undefined || matches(filter, attribute.subAttributes ?? [], value));
  if (op === 'remove') {
    if (!sub) return filterValues(before, (_, at) => !chosen[at]);
    return filterValues(
      before.map((value, at) => (chosen[at] ? withPart(objectOr(value), sub, change) : value)),
      (value) => value !== undefined,
    );
  }
  if (!chosen.includes(true)) return withNew(change, before);
  const next = before.map((value, at) => {
    if (!chosen[at]) return value;
    if (sub) return withPart(objectOr(value), sub, change);
    const read = readOne(attribute, change.value, path);
    return op === 'add' ? { ...objectOr(value), ...Object(read ?? {}) } : read;
  });
  const primary = chosen.lastIndexOf(true);
  return bounded(
    next.filter((value) => value !== undefined),
    primary,
    isPrimary(next[primary]),
    path,
  );
}

/**
 * None was there: a value that is as the filter says, where it says what to make. RFC 7644 §3.5.2.3 refuses a
 * `replace` of values that are not there; of a part of them Entra sends one for whom it was never set, and
 * means an `add`.
 */
function withNew(change: ScimChange, before: unknown[]): unknown {
  const { op, place, filter, path } = change;
  const { attribute, sub } = place;
  const described = filter === undefined ? {} : describedBy(filter, attribute.subAttributes ?? []);
  if (described === undefined || (op === 'replace' && !sub)) throw noTarget(`No value of "${attribute.name}" fits "${path.slice(0, 200)}"`);
  const made = sub ? withPart(described, sub, change) : { ...described, ...Object(readOne(attribute, change.value, path) ?? {}) };
  if (made === undefined || Object.keys(Object(made)).length === 0) return filterValues(before, () => true);
  return bounded([...before, made], before.length, isPrimary(made), path);
}

/** `type eq "work" and primary eq true`. Undefined where it says more than what a value has. */
function describedBy(filter: Filter, parts: readonly Attribute[]): Document | undefined {
  if (filter.op === 'and') {
    const all = filter.filters.map((one) => describedBy(one, parts));
    return all.includes(undefined) ? undefined : Object.assign({}, ...all);
  }
  if (filter.op !== 'compare' || filter.operator !== 'eq' || filter.value === null) return undefined;
  const part = parts.find((one) => one.name.toLowerCase() === filter.path.toLowerCase());
  return part && { [part.name]: readOne(part, filter.value, part.name) };
}

/** Undefined where nothing is left of it. */
function withPart(value: Document, part: Attribute, { op, value: sent, path }: Pick<ScimChange, 'op' | 'value' | 'path'>): Document | undefined {
  const read = op === 'remove' ? undefined : readOne(part, sent, path);
  const { [part.name]: _, ...rest } = value;
  if (read === undefined) return op === 'add' ? value : Object.keys(rest).length === 0 ? undefined : rest;
  return { ...rest, [part.name]: read };
}

function filterValues(values: unknown[], keep: (value: unknown, at: number) => boolean): unknown {
  const left = values.filter(keep);
  return left.length === 0 ? undefined : left;
}

/** `primary`: the place of the value that was just made the primary one, if `isNew`. */
function bounded(values: unknown[], primary: number, isNew: boolean, path: string): unknown {
  if (values.length > MAX_VALUES) throw valueInvalid(`"${path}" may have at most ${MAX_VALUES} values`);
  return filterValues(isNew ? onePrimary(values, primary) : values, () => true);
}

function isPrimary(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'primary' in value && value.primary === true;
}

function listOf(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : [value].flat();
}

function objectOr(value: unknown): Document {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

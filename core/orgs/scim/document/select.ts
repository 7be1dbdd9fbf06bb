// Which attributes an answer has (RFC 7644 §3.9): those asked for, or all without those not wanted; some
// always.
import { type Attribute, COMMON, type Document, type ResourceKind } from '../schema/attribute.ts';
import { isExtension, type AttributePath, parseAttributePath } from '../schema/place.ts';
import { customPlace, nameIn } from './custom.ts';

export interface Selection {
  /** Paths of attributes, with commas between them. */
  attributes?: string | undefined;
  excludedAttributes?: string | undefined;
}

/** Names that mean nothing are passed over. */
export function select(kind: ResourceKind, document: Document, { attributes, excludedAttributes }: Selection): Document {
  if (attributes !== undefined && attributes.trim() !== '') return only(kind, document, pathsOf(attributes));
  return excludedAttributes === undefined ? document : without(kind, document, pathsOf(excludedAttributes));
}

/** Whether the answer has it at all: what is costly to read is read for those who want it. */
export function isSelected(kind: ResourceKind, name: string, selection: Selection): boolean {
  return name in select(kind, { [name]: [{ value: '' }] }, selection);
}

function pathsOf(list: string): string[] {
  return list
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
    .slice(0, 200);
}

function only(kind: ResourceKind, document: Document, paths: string[]): Document {
  const chosen = alwaysIn(kind, document);
  for (const path of paths) {
    if (kind.extension && isExtension(kind, path)) copy(chosen, document, kind.extension.id);
    const place = placeIn(kind, document, path);
    if (place) add(chosen, document, place);
  }
  return chosen;
}

/** Of what the client itself extends the resource by, too. */
function placeIn(kind: ResourceKind, document: Document, path: string): AttributePath | undefined {
  const place = parseAttributePath(kind, path) ?? customPlace(kind, path);
  return place?.attribute.type === 'custom' ? { ...place, attribute: { ...place.attribute, name: nameIn(document, place.attribute.name) } } : place;
}

function alwaysIn(kind: ResourceKind, document: Document): Document {
  const always = [...COMMON, ...kind.schema.attributes].filter(({ returned, required }) => returned === 'always' || (required && kind.name === 'Group'));
  return Object.fromEntries(always.flatMap(({ name }) => (document[name] === undefined ? [] : [[name, document[name]]])));
}

function copy(to: Document, from: Document, name: string): void {
  if (from[name] !== undefined) to[name] = from[name];
}

function add(chosen: Document, document: Document, { extension, attribute, sub }: AttributePath): void {
  const from = extension === undefined ? document : asDocument(document[extension]);
  if (from?.[attribute.name] === undefined) return;
  const to = extension === undefined ? chosen : { ...asDocument(chosen[extension]) };
  const value = from[attribute.name];
  to[attribute.name] = sub === undefined ? value : merged(to[attribute.name], value, sub.name);
  if (extension !== undefined) chosen[extension] = to;
}

/** One part of a value or of each value, beside the parts chosen before. */
function merged(chosen: unknown, value: unknown, part: string): unknown {
  if (Array.isArray(value)) return value.map((one, index) => merged(Array.isArray(chosen) ? chosen[index] : undefined, one, part));
  const partValue: unknown = Reflect.get(Object(value), part);
  return { ...Object(chosen ?? {}), ...(partValue === undefined ? {} : { [part]: partValue }) };
}

function without(kind: ResourceKind, document: Document, paths: string[]): Document {
  const left = structuredClone(document);
  for (const path of paths) {
    if (kind.extension && isExtension(kind, path)) delete left[kind.extension.id];
    const place = placeIn(kind, left, path);
    if (place && !isAlways(kind, place.attribute)) drop(left, place);
  }
  return left;
}

function isAlways(kind: ResourceKind, { returned, required }: Attribute): boolean {
  return returned === 'always' || (required === true && kind.name === 'Group');
}

function drop(document: Document, { extension, attribute, sub }: AttributePath): void {
  const from = extension === undefined ? document : asDocument(document[extension]);
  if (!from) return;
  if (sub === undefined) delete from[attribute.name];
  else for (const value of [from[attribute.name]].flat()) if (typeof value === 'object' && value !== null) Reflect.deleteProperty(value, sub.name);
}

function asDocument(value: unknown): Document | undefined {
  return typeof value === 'object' && value !== null ? Object(value) : undefined;
}

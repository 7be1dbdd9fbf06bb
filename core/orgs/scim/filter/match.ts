// Checks one value of an attribute against a filter: which values a PATCH means.
import { type Attribute, fold } from '../schema/attribute.ts';
import { attributeNamed } from '../schema/place.ts';
import { filterInvalid } from '../error.ts';
import type { Filter, Literal, Operator } from './parse.ts';

/** `parts`: the sub-attributes that the filter may name. @throws BadRequest scim_filter_invalid */
export function matches(filter: Filter, parts: readonly Attribute[], value: unknown): boolean {
  switch (filter.op) {
    // Every part is looked at, so that an unknown name is refused whatever the others are.
    case 'and':
      return filter.filters.map((one) => matches(one, parts, value)).every(Boolean);
    case 'or':
      return filter.filters.map((one) => matches(one, parts, value)).some(Boolean);
    case 'not':
      return !matches(filter.filter, parts, value);
    case 'some':
      throw filterInvalid('values of values cannot be asked for');
    case 'pr':
      return isPresent(partOf(parts, filter.path, value).found);
    case 'compare': {
      const { part, found } = partOf(parts, filter.path, value);
      return compares(filter.operator, typed(part, filter.operator, filter.value), found, part);
    }
  }
}

function partOf(parts: readonly Attribute[], name: string, value: unknown): { part: Attribute; found: unknown } {
  const part = attributeNamed(parts, name);
  if (!part) throw filterInvalid(`there is no part "${name.slice(0, 60)}"`);
  return { part, found: typeof value === 'object' && value !== null && Object.hasOwn(value, part.name) ? Reflect.get(value, part.name) : undefined };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/**
 * The value as its attribute has it; texts of attributes without case are folded. @throws BadRequest
 * scim_filter_invalid
 */
export function typed(attribute: Attribute, operator: Operator, value: Literal): Literal {
  if (value === null) {
    if (operator !== 'eq' && operator !== 'ne') throw filterInvalid(`null cannot be compared with ${operator}`);
    return value;
  }
  if (attribute.type === 'boolean') {
    if (operator !== 'eq' && operator !== 'ne') throw filterInvalid(`"${attribute.name}" is true or false: use eq or ne`);
    const read = typeof value === 'string' ? value.toLowerCase() : String(value);
    if (read !== 'true' && read !== 'false') throw filterInvalid(`"${attribute.name}" is true or false`);
    return read === 'true';
  }
  if (attribute.type === 'complex') throw filterInvalid(`"${attribute.name}" has parts: name one of them`);
  // Numbers are kept as text, as they were sent.
  if (typeof value === 'boolean') throw filterInvalid(`"${attribute.name}" is text: write the value in quotation marks`);
  const text = String(value);
  if (attribute.type !== 'dateTime') return attribute.caseExact ? text : fold(text);
  const at = Date.parse(text);
  if (Number.isNaN(at) || !/^\d{4}-/.test(text)) throw filterInvalid(`"${attribute.name}" is a time, such as "2026-11-20T19:00:00Z"`);
  return new Date(at).toISOString();
}

function compares(operator: Operator, wanted: Literal, found: unknown, part: Attribute): boolean {
  if (wanted === null) return (operator === 'eq') !== isPresent(found);
  if (found === undefined || found === null) return operator === 'ne';
  const has = typeof found === 'string' && !part.caseExact ? fold(found) : found;
  if (typeof has !== 'string' || typeof wanted !== 'string') return (has === wanted) === (operator === 'eq');
  switch (operator) {
    case 'eq':
      return has === wanted;
    case 'ne':
      return has !== wanted;
    case 'co':
      return has.includes(wanted);
    case 'sw':
      return has.startsWith(wanted);
    case 'ew':
      return has.endsWith(wanted);
    case 'gt':
      return has > wanted;
    case 'ge':
      return has >= wanted;
    case 'lt':
      return has < wanted;
    case 'le':
      return has <= wanted;
  }
}

// What a filter means, as plainly as it can be written: every part of a resource that a path names, compared
// one by one.
import type { Filter } from '../filter/parse.ts';

const CASE_EXACT = new Set(['id', 'externalid', 'profileurl', 'manager.value', 'groups.value']);

export function holds(filter: Filter, resource: unknown, under = ''): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((one) => holds(one, resource, under));
    case 'or':
      return filter.filters.some((one) => holds(one, resource, under));
    case 'not':
      return !holds(filter.filter, resource, under);
    case 'pr':
      return found(resource, filter.path).some((one) => one !== '');
    case 'some':
      return found(resource, filter.path).some((one) => holds(filter.filter, one, `${filter.path}.`));
    case 'compare': {
      const exact = CASE_EXACT.has(`${under}${filter.path.replace(/^urn:.*:/i, '')}`.toLowerCase());
      const fold = (one: unknown): unknown => (typeof one === 'string' && !exact ? one.toLowerCase() : one);
      const values = found(resource, filter.path).map((one) => fold(typeof one === 'object' && one !== null ? Reflect.get(one, 'value') : one));
      const wanted = fold(filter.value);
      if (wanted === null) return (filter.operator === 'ne') === values.length > 0;
      const isList = Array.isArray(Reflect.get(Object(resource), filter.path.split('.')[0] ?? ''));
      if (filter.operator === 'ne') return isList ? values.some((one) => one !== wanted) : !values.includes(wanted);
      return values.some((one) => compare(filter.operator, one, wanted));
    }
  }
}

function compare(operator: string, one: unknown, wanted: unknown): boolean {
  if (operator === 'eq') return one === wanted;
  const [a, b] = [String(one), String(wanted)];
  if (operator === 'co') return a.includes(b);
  if (operator === 'sw') return a.startsWith(b);
  if (operator === 'ew') return a.endsWith(b);
  const order = Buffer.compare(Buffer.from(a), Buffer.from(b));
  return operator === 'gt' ? order > 0 : operator === 'ge' ? order >= 0 : operator === 'lt' ? order < 0 : order <= 0;
}

/** All that the path names; of lists the elements. */
function found(resource: unknown, path: string): unknown[] {
  const [, urn, rest = path] = /^(urn:.*):([^:]+)$/i.exec(path) ?? [];
  const from: unknown = urn === undefined ? resource : Reflect.get(Object(resource), urn);
  return rest.split('.').reduce<unknown[]>((values, name) => values.flatMap((value) => [Reflect.get(Object(value), name) ?? []].flat()), [from]);
}

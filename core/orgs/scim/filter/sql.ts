// A filter as a condition in SQL. Values are bindings; names of attributes become columns and keys of ours,
// and nothing of the client's text becomes SQL.
import type { Attribute, ResourceKind } from '../schema/attribute.ts';
import { type AttributePath, parseAttributePath, valuePart } from '../schema/place.ts';
import { filterInvalid } from '../error.ts';
import { typed } from './match.ts';
import type { Filter, Literal, Operator } from './parse.ts';

export interface Sql {
  sql: string;
  bindings: (string | boolean)[];
}

/** Where the values of an attribute are. */
export type ValueSource =
  /**
   * A column of `r`, the row of the resource. Text without case is in it folded. `indexed`: by its first
   * characters.
   */
  | { column: string; indexed?: true }
  /** Rows beside it: `from` names them `v`, with what `where` says; `value` is their column. */
  | { from: string; where: Sql; id: string; value: string; indexed?: true };

export interface Sources {
  kind: ResourceKind;
  /** The resources themselves: rows `r`, with what `where` says. */
  rows: { from: string; where: Sql };
  /** Undefined: it cannot be asked for. */
  of(place: AttributePath, part: Attribute | undefined): ValueSource | undefined;
  /**
   * The values of an attribute as elements: rows `b`, and of each the parts. Undefined: its values have no
   * identity.
   */
  elements(place: AttributePath): { from: string; where: Sql; id: string; part(part: Attribute): { sql: Sql; value: string; indexed?: true } } | undefined;
}

/** Characters of a value that an index holds. */
const INDEXED_CHARS = 200;

/** @throws BadRequest scim_filter_invalid */
export function filterSql(filter: Filter, sources: Sources): Sql {
  switch (filter.op) {
    case 'and':
      return join(
        filter.filters.map((one) => filterSql(one, sources)),
        ' and ',
      );
    case 'or':
      return anyOf(
        filter.filters.map((one) => filterSql(one, sources)),
        sources,
      );
    case 'not': {
      const { sql, bindings } = filterSql(filter.filter, sources);
      return { sql: `not coalesce(${sql}, false)`, bindings };
    }
    case 'pr':
      return present(known(sources.kind, filter.path), sources);
    case 'compare':
      return compare(filter, known(sources.kind, filter.path), sources);
    case 'some':
      return some(filter, sources);
  }
}

/**
 * Each part finds its rows by its own index; with a plain "or" PostgreSQL would look at every row. An array
 * is made once, also where PostgreSQL knows nothing of the tables yet.
 */
function anyOf(parts: Sql[], { rows: { from, where } }: Sources): Sql {
  const each = parts.map(({ sql }) => `select r.scim_id from ${from} where ${where.sql} and ${sql}`);
  return { sql: `r.scim_id = any(array(${each.join(' union all ')}))`, bindings: parts.flatMap(({ bindings }) => [...where.bindings, ...bindings]) };
}

function join(parts: Sql[], by: string): Sql {
  return { sql: `(${parts.map(({ sql }) => sql).join(by)})`, bindings: parts.flatMap(({ bindings }) => bindings) };
}

function known(kind: ResourceKind, path: string): AttributePath {
  const place = parseAttributePath(kind, path);
  if (!place || place.attribute.mutability === 'ignored') throw filterInvalid(`there is no attribute "${path.slice(0, 100)}"`);
  return place;
}

function sourceOf(place: AttributePath, part: Attribute | undefined, sources: Sources): ValueSource {
  const source = sources.of(place, part);
  if (!source) throw filterInvalid(`"${[place.attribute.name, part?.name].filter(Boolean).join('.')}" cannot be asked for`);
  return source;
}

/** `emails pr`, `name pr`: any part of it. */
function present(place: AttributePath, sources: Sources): Sql {
  const { attribute, sub } = place;
  if (attribute.type !== 'complex' || sub) return holds(sourceOf(place, sub, sources), { sql: "{} is not null and {}::text <> ''", bindings: [] });
  const parts = (attribute.subAttributes ?? []).flatMap((part) => sources.of(place, part) ?? []);
  return join(
    parts.map((source) => holds(source, { sql: "{} is not null and {}::text <> ''", bindings: [] })),
    ' or ',
  );
}

function compare(filter: Extract<Filter, { op: 'compare' }>, place: AttributePath, sources: Sources): Sql {
  const part = valuePart(place);
  const attribute = part ?? place.attribute;
  const value = typed(attribute, filter.operator, filter.value);
  if (value === null) {
    const has = present(place, sources);
    return filter.operator === 'ne' ? has : { sql: `not coalesce(${has.sql}, false)`, bindings: has.bindings };
  }
  const source = sourceOf(place, part, sources);
  // Who has no value is not equal to it either; of several values one that differs is enough.
  if (filter.operator === 'ne' && !place.attribute.multiValued) {
    const same = holds(source, condition('eq', value, attribute, 'indexed' in source));
    return { sql: `not coalesce(${same.sql}, false)`, bindings: same.bindings };
  }
  return holds(source, condition(filter.operator, value, attribute, 'indexed' in source));
}

/** `{}` in the condition stands for the value. */
function holds(source: ValueSource, { sql, bindings }: Sql): Sql {
  if ('column' in source) return { sql: `(${sql.replaceAll('{}', source.column)})`, bindings };
  const where = `${source.where.sql} and ${sql.replaceAll('{}', source.value)}`;
  return { sql: `r.scim_id in (select ${source.id} from ${source.from} where ${where})`, bindings: [...source.where.bindings, ...bindings] };
}

function some({ path, filter }: Extract<Filter, { op: 'some' }>, sources: Sources): Sql {
  const place = known(sources.kind, path);
  const elements = place.attribute.multiValued && !place.sub ? sources.elements(place) : undefined;
  if (!elements) throw filterInvalid(`"${path.slice(0, 100)}" has no values to choose from`);
  const inner = ofElement(filter, place, elements);
  return {
    sql: `r.scim_id in (select ${elements.id} from ${elements.from} where ${elements.where.sql} and ${inner.sql})`,
    bindings: [...elements.where.bindings, ...inner.bindings],
  };
}

function ofElement(filter: Filter, place: AttributePath, elements: NonNullable<ReturnType<Sources['elements']>>): Sql {
  const inner = (one: Filter): Sql => ofElement(one, place, elements);
  switch (filter.op) {
    case 'and':
    case 'or':
      return join(filter.filters.map(inner), ` ${filter.op} `);
    case 'not': {
      const { sql, bindings } = inner(filter.filter);
      return { sql: `not coalesce(${sql}, false)`, bindings };
    }
    case 'some':
      throw filterInvalid('values of values cannot be asked for');
    default: {
      const part = place.attribute.subAttributes?.find(({ name }) => name.toLowerCase() === filter.path.toLowerCase());
      if (!part) throw filterInvalid(`"${place.attribute.name}" has no part "${filter.path.slice(0, 60)}"`);
      const { sql, value, indexed = false } = elements.part(part);
      const within = (condition: Sql): Sql => ({
        sql: sql.sql.replaceAll('{}', condition.sql.replaceAll('{}', value)),
        bindings: [...sql.bindings, ...condition.bindings],
      });
      const has = within({ sql: '{} is not null', bindings: [] });
      if (filter.op === 'pr') return has;
      const wanted = typed(part, filter.operator, filter.value);
      if (wanted === null) return filter.operator === 'ne' ? has : { sql: `not ${has.sql}`, bindings: has.bindings };
      if (filter.operator !== 'ne') return within(condition(filter.operator, wanted, part, indexed));
      const same = within(condition('eq', wanted, part, indexed));
      return { sql: `not ${same.sql}`, bindings: same.bindings };
    }
  }
}

const COMPARISONS = { eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' } as const;

/** What is asked of a value, `{}`. `indexed`: its first characters are in an index, as `left({}, 200)`. */
function condition(operator: Operator, value: Exclude<Literal, null>, attribute: Attribute, indexed: boolean): Sql {
  // Beside the row all values are text: a cast would be tried on values of other attributes too.
  if (attribute.type === 'boolean' && !indexed) return { sql: `{} ${operator === 'ne' ? '<>' : '='} ?::boolean`, bindings: [value === true] };
  const text = String(value);
  if (attribute.type === 'dateTime') {
    if (operator === 'co' || operator === 'sw' || operator === 'ew') throw filterInvalid(`"${attribute.name}" is a time: use eq, ne, gt, ge, lt or le`);
    return { sql: `date_trunc('milliseconds', {}) ${COMPARISONS[operator]} ?::timestamptz`, bindings: [text] };
  }
  const first = text.slice(0, INDEXED_CHARS);
  const head = `left({}, ${INDEXED_CHARS})`;
  const near = (sql: string, binding: string): Sql => (indexed ? { sql: `${head} ${sql} and `, bindings: [binding] } : { sql: '', bindings: [] });
  const both = (narrow: Sql, exact: Sql): Sql => ({ sql: `(${narrow.sql}${exact.sql})`, bindings: [...narrow.bindings, ...exact.bindings] });
  switch (operator) {
    case 'eq':
      return both(near('= ?', first), { sql: '{} = ?', bindings: [text] });
    case 'sw':
      return both(near('like ?', `${escaped(first)}%`), { sql: 'starts_with({}, ?)', bindings: [text] });
    // By trigrams, where there is an index of them: PostgreSQL uses them only for patterns.
    case 'co':
      return { sql: '{} like ?', bindings: [`%${escaped(text)}%`] };
    case 'ew':
      return { sql: '{} like ?', bindings: [`%${escaped(text)}`] };
    case 'ne':
      return { sql: '{} <> ?', bindings: [text] };
    default:
      return both(near(operator.startsWith('g') ? '>= ?' : '<= ?', first), { sql: `{} collate "C" ${COMPARISONS[operator]} ?`, bindings: [text] });
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

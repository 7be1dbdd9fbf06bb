import type { Filter } from '../filter/parse.ts';

/** A filter as a client writes it. */
export function filterText(filter: Filter): string {
  switch (filter.op) {
    case 'pr':
      return `${filter.path} pr`;
    case 'compare':
      return `${filter.path} ${filter.operator} ${JSON.stringify(filter.value)}`;
    case 'not':
      return `not (${filterText(filter.filter)})`;
    case 'some':
      return `${filter.path}[${filterText(filter.filter)}]`;
    default:
      return filter.filters.map((one) => `(${filterText(one)})`).join(` ${filter.op} `);
  }
}

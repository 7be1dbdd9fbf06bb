// What a table comes to: figures of each column, sums by group, and both as text.
import { SkillInputError } from '@svc/sdk';
import { type Column, columnNamed, type Table } from './table.ts';

export interface Settings {
  title: string;
  /** Column whose values the rows are summed by; null: the first of text. */
  group_by: string | null;
  /** Columns that are summed; empty: all of numbers. */
  values: readonly string[];
}

export interface Summary {
  name: string;
  kind: 'number' | 'text';
  /** Cells that hold nothing. */
  missing: number;
  /** Of numbers. */
  sum?: number;
  min?: number;
  max?: number;
  mean?: number;
  median?: number;
  /** Of texts: the most frequent. */
  top?: { value: string; count: number }[];
}

export interface Groups {
  by: string;
  values: string[];
  groups: { name: string; rows: number; sums: number[] }[];
  /** Groups beyond the largest. */
  more: number;
}

const MAX_GROUPS = 30;

export function summaryOf({ name, kind, numbers, cells }: Column): Summary {
  if (kind === 'text') {
    const counts = new Map<string, number>();
    for (const cell of cells) if (cell !== '') counts.set(cell, (counts.get(cell) ?? 0) + 1);
    const top = [...counts].toSorted(([a, many], [b, few]) => few - many || a.localeCompare(b)).slice(0, 5);
    return { name, kind, missing: cells.filter((cell) => cell === '').length, top: top.map(([value, count]) => ({ value: value.slice(0, 200), count })) };
  }
  const told = numbers.filter((value) => value !== null).toSorted((a, b) => a - b);
  const sum = told.reduce((total, value) => total + value, 0);
  const at = (place: number): number => told[place] ?? 0;
  const middle = (told.length - 1) / 2;
  const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
  return {
    name,
    kind,
    missing: numbers.length - told.length,
    sum: rounded(sum),
    min: at(0),
    max: at(told.length - 1),
    mean: rounded(sum / told.length),
    median,
  };
}

/** Largest first, by the first of the values. @throws SkillInputError where nothing can be summed */
export function groupsOf(table: Table, { group_by, values }: Pick<Settings, 'group_by' | 'values'>): Groups {
  const numbers = values.length > 0 ? values.map((name) => columnNamed(table, name)) : table.columns.filter(({ kind }) => kind === 'number').slice(0, 6);
  const odd = numbers.find(({ kind }) => kind !== 'number');
  if (odd) throw new SkillInputError(`The column "${odd.name}" does not hold numbers: sum others.`);
  if (numbers.length === 0) throw new SkillInputError('The table has no column of numbers: there is nothing to sum.');
  const by = group_by === null ? (table.columns.find(({ kind }) => kind === 'text') ?? table.columns[0]) : columnNamed(table, group_by);
  const groups = new Map<string, { name: string; rows: number; sums: number[] }>();
  for (const [row, cell] of (by?.cells ?? []).entries()) {
    const name = cell === '' ? '(nothing)' : cell.slice(0, 80);
    const group = groups.get(name) ?? { name, rows: 0, sums: numbers.map(() => 0) };
    groups.set(name, { name, rows: group.rows + 1, sums: group.sums.map((sum, at) => sum + (numbers[at]?.numbers[row] ?? 0)) });
  }
  const sorted = [...groups.values()]
    .map((group) => ({ ...group, sums: group.sums.map(rounded) }))
    .toSorted((a, b) => (b.sums[0] ?? 0) - (a.sums[0] ?? 0) || a.name.localeCompare(b.name));
  return { by: by?.name ?? '', values: numbers.map(({ name }) => name), groups: sorted.slice(0, MAX_GROUPS), more: Math.max(0, sorted.length - MAX_GROUPS) };
}

export function markdownOf(title: string, rows: number, columns: readonly Summary[], { by, values, groups, more }: Groups): string {
  const numbers = columns.filter(({ kind }) => kind === 'number');
  return [
    `# ${oneLine(title)}`,
    '',
    `${rows} rows, ${columns.length} columns.`,
    '',
    `| ${[by, 'rows', ...values].map(cellOf).join(' | ')} |`,
    `|---|---:|${values.map(() => '---:|').join('')}`,
    ...groups.map(({ name, rows: count, sums }) => `| ${[name, count, ...sums].map(cellOf).join(' | ')} |`),
    ...(more > 0 ? [`| ${more} more | |${values.map(() => ' |').join('')}`] : []),
    '',
    '| column | missing | sum | min | median | mean | max |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...numbers.map((one) => `| ${[one.name, one.missing, one.sum, one.min, one.median, one.mean, one.max].map(cellOf).join(' | ')} |`),
    '',
  ].join('\n');
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** What somebody wrote into a table stays text in the report, too. */
function cellOf(value: unknown): string {
  return oneLine(String(value ?? '')).replaceAll(/[\\|<>]/g, (one) => (one === '<' ? '&lt;' : one === '>' ? '&gt;' : `\\${one}`));
}

/** What more there is, is noise of the arithmetic. */
const rounded = (value: number): number => Number(value.toPrecision(12));

// A table as people export it, made sound: numbers and dates recognised, blanks and repeated rows gone, every
// change counted.
import { SkillInputError } from '@svc/sdk';
import { dsvFormat } from 'd3-dsv';

export type Column =
  | { name: string; kind: 'number'; values: (number | null)[] }
  | { name: string; kind: 'date'; values: (Date | null)[] }
  | { name: string; kind: 'text'; values: (string | null)[] };

export interface Cleaning {
  blank_rows: number;
  repeated_rows: number;
  /** Cells that hold nothing, or a word for nothing. */
  missing_cells: number;
}

export interface Table {
  columns: Column[];
  rows: number;
  cleaning: Cleaning;
}

const MAX_ROWS = 50_000;
const MAX_COLUMNS = 64;
const NOTHING = new Set(['', '-', '–', 'n/a', 'na', 'nan', 'null', 'none', '?']);
/** A column is of a kind when nearly all its cells are. */
const NEARLY_ALL = 0.9;

export function readTable(text: string): Table {
  const [header = [], ...body] = dsvFormat(separatorOf(text)).parseRows(text.replace(/^\uFEFF/, ''), (row) => row.map((cell) => cell.trim()));
  if (header.length > MAX_COLUMNS || body.length > MAX_ROWS)
    throw new SkillInputError(`a table may have ${MAX_COLUMNS} columns and ${MAX_ROWS} rows; this one has ${header.length} and ${body.length}`);
  const filled = body.filter((row) => row.some((cell) => !isNothing(cell)));
  const rows = [...new Map(filled.map((row) => [JSON.stringify(row), row])).values()];
  if (rows.length === 0) throw new SkillInputError('the table has no rows: the first line names the columns, the others are the rows');
  const columns = namesOf(header).map((name, at) =>
    columnOf(
      name,
      rows.map((row) => row[at] ?? ''),
    ),
  );
  const missing = columns.reduce((sum, { values }) => sum + values.filter((value) => value === null).length, 0);
  return {
    columns,
    rows: rows.length,
    cleaning: { blank_rows: body.length - filled.length, repeated_rows: filled.length - rows.length, missing_cells: missing },
  };
}

/** The one that the first line has most of. */
function separatorOf(text: string): string {
  const [first = ''] = text.split('\n', 1);
  const count = (separator: string) => first.split(separator).length;
  return [',', ';', '\t', '|'].reduce((best, separator) => (count(separator) > count(best) ? separator : best));
}

/** Unnamed columns get a name, repeated names a number. */
function namesOf(header: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return header.map((raw, at) => {
    const name = raw === '' ? `column ${at + 1}` : raw;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}

function columnOf(name: string, cells: readonly string[]): Column {
  const filledCells = cells.filter((cell) => !isNothing(cell));
  const fits = (read: (cell: string) => unknown) =>
    filledCells.length > 0 && filledCells.filter((cell) => read(cell) !== null).length >= NEARLY_ALL * filledCells.length;
  if (fits(numberOf)) return { name, kind: 'number', values: cells.map(numberOf) };
  if (fits(dateOf)) return { name, kind: 'date', values: cells.map(dateOf) };
  return { name, kind: 'text', values: cells.map((cell) => (isNothing(cell) ? null : cell)) };
}

function isNothing(cell: string): boolean {
  return NOTHING.has(cell.toLowerCase());
}

/** "1,234.5", "12 %", "€ 7" and "(3)" are numbers to who wrote them. */
function numberOf(cell: string): number | null {
  const bare = cell.replaceAll(/[\s,_%€$£]/g, '').replace(/^\((.+)\)$/, '-$1');
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(bare) ? Number(bare) : null;
}

/** Only what cannot be read in two ways: 2026-11, 2026-11-22, with a time or without. */
function dateOf(cell: string): Date | null {
  if (!/^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?$/.test(cell)) return null;
  const date = new Date(/[T ]/.test(cell) && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(cell) ? `${cell.replace(' ', 'T')}Z` : cell);
  return Number.isNaN(date.getTime()) ? null : date;
}

// A table as people export it: separators found, quotes read, numbers recognised, all bounded.
import { SkillInputError } from '@svc/sdk';

export interface Column {
  name: string;
  kind: 'number' | 'text';
  /** Of numbers; null: the cell holds none. */
  numbers: readonly (number | null)[];
  cells: readonly string[];
}

export interface Table {
  columns: readonly Column[];
  rows: number;
}

export const MAX_ROWS = 50_000;
const MAX_COLUMNS = 64;
const SEPARATORS = [',', ';', '\t', '|'];
const NOTHING = new Set(['', '-', 'n/a', 'na', 'null', 'none']);
/** A column is of numbers when nearly all its cells are. */
const NEARLY_ALL = 0.9;

/** @throws SkillInputError for what is no table */
export function readTable(text: string): Table {
  const plain = text.replace(/^\uFEFF/, '');
  const [first = ''] = plain.split('\n', 1);
  const separator = SEPARATORS.reduce((best, one) => (first.split(one).length > first.split(best).length ? one : best));
  const [header = [], ...rows] = cellsOf(plain, separator).filter((row) => row.some((cell) => cell !== ''));
  if (rows.length === 0) throw new SkillInputError('The table has no rows: the first line names the columns, the others are the rows.');
  if (rows.length > MAX_ROWS || header.length > MAX_COLUMNS)
    throw new SkillInputError(`A table may have ${MAX_COLUMNS} columns and ${MAX_ROWS} rows; this one has ${header.length} and ${rows.length}.`);
  const names = namesOf(header);
  return {
    rows: rows.length,
    columns: names.map((name, at) =>
      columnOf(
        name,
        rows.map((row) => row[at] ?? ''),
      ),
    ),
  };
}

/** RFC 4180, with any separator. */
function cellsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let [cell, quoted] = ['', false];
  const endCell = (): void => {
    row.push(cell.trim());
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at] ?? '';
    if (quoted && one === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (one === '"' && (quoted || cell.trim() === '')) quoted = !quoted;
    else if (quoted) cell += one;
    else if (one === separator) endCell();
    else if (one === '\n') {
      endCell();
      rows.push(row);
      row = [];
    } else cell += one;
  }
  endCell();
  rows.push(row);
  return rows;
}

/** Unnamed columns get a name, repeated names a number. */
function namesOf(header: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return header.map((raw, at) => {
    const name = raw === '' ? `column ${at + 1}` : raw.slice(0, 200);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}

function columnOf(name: string, cells: readonly string[]): Column {
  const told = cells.filter((cell) => !NOTHING.has(cell.toLowerCase()));
  const isNumber = told.length > 0 && told.filter((cell) => numberOf(cell) !== null).length >= NEARLY_ALL * told.length;
  return { name, cells, kind: isNumber ? 'number' : 'text', numbers: isNumber ? cells.map(numberOf) : [] };
}

/** "1,234.5", "12 %" and "(3)" are numbers to who wrote them. */
export function numberOf(cell: string): number | null {
  const bare = cell.replaceAll(/[\s,_%€$£]/g, '').replace(/^\((.+)\)$/, '-$1');
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(bare) ? Number(bare) : null;
}

/** @throws SkillInputError that names the columns there are */
export function columnNamed({ columns }: Table, name: string): Column {
  const found = columns.find((column) => column.name === name);
  if (!found) throw new SkillInputError(`There is no column "${name}"; there are: ${columns.map((column) => column.name).join(', ')}.`);
  return found;
}

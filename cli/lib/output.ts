// Results go to standard output, everything else to standard error: so that `svc … | jq` and `> file` just
// work.
import { stripVTControlCharacters, styleText } from 'node:util';
import type { CliContext } from './context.ts';
import { asInvoked } from './invoked.ts';
import { type Progress, progressOn } from './progress.ts';

export class Output {
  readonly #context: CliContext;
  /** One JSON document on standard output instead of text. */
  readonly json: boolean;

  constructor(context: CliContext, json = false) {
    this.#context = context;
    this.json = json;
  }

  /** True on a terminal, whose last line can be written again. */
  get interactive(): boolean {
    return 'isTTY' in this.#context.stderr && this.#context.stderr.isTTY === true;
  }

  /** What was asked for. */
  result(value: unknown, lines: readonly string[] | (() => readonly string[])): void {
    const text = this.json ? JSON.stringify(value, null, 2) : (typeof lines === 'function' ? lines() : lines).join('\n');
    if (text !== '') this.line(text);
  }

  /** A piece of a result that comes bit by bit. */
  line(text: string): void {
    this.#context.stdout.write(`${this.#context.colours.out ? text : stripVTControlCharacters(text)}\n`);
  }

  /** Progress messages. */
  note(text: string): void {
    this.#context.stderr.write(`${this.#context.colours.err ? text : stripVTControlCharacters(text)}\n`);
  }

  /** Of work that takes long, until it is ended. */
  progress(): Progress {
    return progressOn(this.#context.stderr, this.interactive);
  }

  /** A note that names a command to run next. */
  hint(text: string): void {
    this.note(this.advice(text));
  }

  /** A line of a result that names one: `svc …` as the person types it. */
  advice(text: string): string {
    return asInvoked(text, this.#context.name);
  }

  raw(text: string): void {
    this.#context.stderr.write(text);
  }

  dim(text: string): string {
    return this.#styled('dim', text);
  }

  good(text: string): string {
    return this.#styled('green', text);
  }

  bad(text: string): string {
    return this.#styled('red', text);
  }

  #styled(style: 'dim' | 'green' | 'red', text: string): string {
    const { out, err } = this.#context.colours;
    return out || err ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** Set once at the entry. Undefined: no terminal, so tables are whole. */
let tableWidth: number | undefined;
const MOST_TEXT = 60;
const LEAST_TEXT = 10;

export function setTableWidth(columns: number | undefined): void {
  tableWidth = columns;
}

/**
 * Rows under a head, columns as wide as their widest cell. On a terminal long text is cut, and the last
 * column to what is left of the line; ids and addresses never.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[], width = tableWidth): string[] {
  const all = [head, ...rows.map((row) => (width === undefined ? row : row.map((cell) => cut(cell, MOST_TEXT))))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const before = widths.slice(0, -1).reduce((sum, one) => sum + one + 2, 0);
  return all.map((row) =>
    row
      .map((cell, column) => {
        if (column < head.length - 1) return cell.padEnd(widths[column] ?? 0);
        return width === undefined ? cell : cut(cell, Math.max(LEAST_TEXT, width - before));
      })
      .join('  ')
      .trimEnd(),
  );
}

function cut(text: string, most: number): string {
  return text.length > most && text.includes(' ') ? `${text.slice(0, most - 1)}…` : text;
}

/** Text that others wrote may have lines and tabs, but no control over the terminal. */
export function forTerminal(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** The same on one line. */
export function plain(text: string): string {
  return text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, ' ');
}

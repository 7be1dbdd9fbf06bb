// The lines of a log as they come: cleaned once, searched and filtered without being read again.
import { withColors, withoutColors } from './clean.ts';
import { isShown, type Level, levelOf, type LineLevel } from './level.ts';

type LogSource = 'build' | 'agent' | 'platform';

export interface RawLine {
  at: string;
  source: LogSource;
  stream: string;
  text: string;
}

export interface LogLine {
  /** Counts all lines, from 1. */
  number: number;
  at: string;
  source: LogSource;
  level: LineLevel;
  /** At most SHOWN characters, with its colors. */
  shown: string;
  /** At most KEPT characters, without colors. */
  plain: string;
  /** Characters that are not kept. */
  cut: number;
}

export const MAX_LINES = 100_000;
const MAX_LINE_LENGTH = 100_000;
const SHOWN = 2_000;

export class LogLines {
  lines: LogLine[] = [];
  dropped = 0;

  add(raw: readonly RawLine[]): void {
    for (const one of raw) for (const line of readable(one)) this.lines.push({ ...line, number: this.dropped + this.lines.length + 1 });
    const over = this.lines.length - MAX_LINES;
    if (over <= 0) return;
    this.lines = this.lines.slice(over);
    this.dropped += over;
  }

  shown(from: Level | undefined): LogLine[] {
    return from === undefined ? this.lines : this.lines.filter(({ level }) => isShown(level, from));
  }

  text(): string {
    return this.lines.map(({ at, source, plain }) => `${at} ${source} ${plain}\n`).join('');
  }
}

/** Positions in `lines` that hold all of `query`, letters of either case. */
export function matches(lines: readonly LogLine[], query: string): number[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return [];
  return lines.flatMap(({ plain }, at) => (plain.toLowerCase().includes(wanted) ? [at] : []));
}

function readable({ at, source, stream, text }: RawLine): Omit<LogLine, 'number'>[] {
  const bounded = text.length > MAX_LINE_LENGTH ? text.slice(0, MAX_LINE_LENGTH) : text;
  const entry = source === 'agent' && text.length <= MAX_LINE_LENGTH ? entryOf(bounded) : undefined;
  if (!entry) {
    const cleaned = withColors(bounded);
    const plain = withoutColors(cleaned);
    return [{ at, source, level: levelOf(plain, stream), shown: cut(cleaned), plain, cut: text.length - bounded.length }];
  }
  return entry.lines.map((line) => {
    const plain = withoutColors(withColors(line));
    return { at, source, level: entry.level, shown: cut(plain), plain, cut: 0 };
  });
}

/** Not inside a color. */
function cut(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN).replace(/\x1b\[?[\d;:]*$/, '')}\x1b[0m …`;
}

const LINE_LEVELS = new Map<unknown, LineLevel>([
  ['debug', 'debug'],
  ['info', 'info'],
  ['warn', 'warn'],
  ['error', 'error'],
]);

/**
 * An entry that an agent's logger wrote, as `svc logs` shows it: level and message, its fields, a trace on
 * lines of its own.
 */
function entryOf(text: string): { level: LineLevel; lines: string[] } | undefined {
  if (!text.startsWith('{')) return undefined;
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || !('level' in value) || !('message' in value) || typeof value.message !== 'string') return undefined;
  const level = LINE_LEVELS.get(value.level);
  if (level === undefined) return undefined;
  const { at: _at, level: _level, message, error, error_name: _name, stack, ...fields }: Record<string, unknown> = { ...value };
  const reason = typeof error === 'string' && stack === undefined ? `: ${error}` : '';
  const facts = Object.entries(fields).map(([name, of]) => ` ${name}=${typeof of === 'string' ? of : JSON.stringify(of)}`);
  const trace = typeof stack === 'string' ? stack.trimEnd().split('\n').map((line) => `  ${line}`) : []; // prettier-ignore
  return { level, lines: [`${level} ${String(message)}${reason}${facts.join('')}`, ...trace] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

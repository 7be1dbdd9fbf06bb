// Lines of an agent's log as a person reads them: one JSON entry each where the SDK wrote them, text
// otherwise. Frames of the platform's SDK and of the language are folded: an author looks for their own.
import type { Output } from '../../../api/client.ts';

export type LogLine = Output<'myRuns', 'log'>['lines'][number];

export interface Entry {
  at: string;
  level: string;
  message: string;
  /** Name and words of an error. */
  error: string | undefined;
  stack: Stack | undefined;
  fields: string;
}

export interface Stack {
  text: string;
  /** Frames that are left out. */
  folded: number;
  whole: string;
}

/** The page says these itself. */
const SAID = new Set(['at', 'level', 'message', 'error', 'error_name', 'stack', 'run_id', 'request_id', 'skill']);
const FOREIGN =
  /node:internal|node_modules|[\\/]sdk[\\/](?:typescript|python)[\\/]|@svc[\\/]|site-packages[\\/]|[\\/]lib[\\/]python3|processTicksAndRejections/;

export function entryOf({ at, stream, text }: LogLine): Entry {
  const value = parsed(text);
  if (!value || typeof value['message'] !== 'string')
    return { at, level: stream === 'stderr' ? 'error' : 'info', message: text, error: undefined, stack: undefined, fields: '' };
  const { level, message, error, error_name: name, stack } = value;
  const rest = Object.entries(value).filter(([key]) => !SAID.has(key));
  return {
    at,
    level: typeof level === 'string' ? level : 'info',
    message,
    error: typeof error === 'string' ? `${typeof name === 'string' && name !== 'Error' ? `${name}: ` : ''}${error}` : undefined,
    stack: typeof stack === 'string' ? foldStack(stack) : undefined,
    fields: rest.map(([key, one]) => `${key}=${typeof one === 'string' ? one : JSON.stringify(one)}`).join(' '),
  };
}

/** Of the lines of a failed run: the one that says why. */
export function reasonIn(entries: readonly Entry[]): Entry | undefined {
  return entries.findLast(({ stack }) => stack !== undefined) ?? entries.findLast(({ error }) => error !== undefined);
}

export function foldStack(stack: string): Stack {
  const lines = stack.trimEnd().split('\n');
  const isFrame = (line: string): boolean => /^\s+(?:at |File ")/.test(line);
  const own = lines.filter((line) => !isFrame(line) || !FOREIGN.test(line));
  // Where all are foreign the author has nothing else to look at.
  if (!own.some(isFrame)) return { text: lines.join('\n'), folded: 0, whole: stack };
  return { text: own.join('\n'), folded: lines.length - own.length, whole: stack };
}

function parsed(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

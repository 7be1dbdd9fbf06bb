// A line of an agent's log as a person reads it: level and message, the fields, and a trace on lines of its
// own.
import { z } from 'zod';
import { foldFrames } from '#contract/wire/stack-frames.ts';
import { plain } from './output.ts';
import { LOG_LEVELS } from '#contract/states.ts';

const Entry = z.looseObject({
  at: z.string(),
  level: z.enum(LOG_LEVELS),
  message: z.string(),
  error: z.string().optional(),
  error_name: z.string().optional(),
  stack: z.string().optional(),
});

/** The text as it is where it is no entry of an agent's log. `verbose`: traces whole. */
export function readableLines(text: string, verbose = false): string[] {
  const entry = Entry.safeParse(parsed(text));
  if (!entry.success) return [plain(text)];
  const { at: _at, level, message, error, error_name: _name, stack, ...fields } = entry.data;
  // A trace starts with the error.
  const reason = error === undefined || stack !== undefined ? '' : `: ${error}`;
  const facts = Object.entries(fields).map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const trace = stack === undefined ? [] : (verbose ? stack : foldFrames(stack)).trimEnd().split('\n').map((line) => `  ${line}`); // prettier-ignore
  return [`${level} ${message}${reason}${facts.join('')}`, ...trace].map(plain);
}

function parsed(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Rules and shares, as people read them.
import type { Output } from '../../api/client.ts';
import { number } from '../../kit/number.ts';

export type Rule = Output<'evaluations', 'rules'>['items'][number];

/** Never rounded up to all of them. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  if (part === whole) return '100 %';
  return `${Math.min(99.9, Math.floor((1000 * part) / whole) / 10)} %`;
}

export function checkWords(check: Rule['check']): string {
  switch (check.kind) {
    case 'schema':
      return 'The result fits a JSON Schema.';
    case 'matches': {
      const where = check.pointer === '' ? 'the result' : check.pointer;
      return `/${check.pattern}/u is ${check.absent ? 'not ' : ''}found in ${where}.`;
    }
    case 'latency':
      return `It takes ${number(check.max_ms)} ms at most, without waits for people.`;
    case 'cost':
      return `Its models cost $${(check.max_micros / 1_000_000).toString()} at most.`;
    case 'thumb':
      return 'Its caller rated it as good.';
    case 'judge':
      return `A model judges it, ${number(check.per_day)} a day at most: ${check.instructions}`;
  }
}

/** A line of a file of examples, as `svc datasets create` reads it. */
function exampleOf(line: string): { skill: string; args: Record<string, unknown>; expected?: unknown } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: 'is not JSON' };
  }
  if (typeof value !== 'object' || value === null || !('skill' in value) || typeof value.skill !== 'string')
    return { problem: 'has no "skill": write {"skill": …, "args": {…}, "expected": …}' };
  const args = 'args' in value ? value.args : {};
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return { problem: 'has "args" that are no object' };
  return { skill: value.skill, args: { ...args }, ...('expected' in value && { expected: value.expected }) };
}

export interface Examples {
  items: { skill: string; args: Record<string, unknown>; expected?: unknown }[];
  /** The first line that is none. */
  problem: string | undefined;
}

export function examplesIn(text: string): Examples {
  const items: Examples['items'] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const example = exampleOf(line);
    if ('problem' in example) return { items: [], problem: `Line ${at + 1} ${example.problem}.` };
    items.push(example);
  }
  return { items, problem: items.length === 0 ? 'There is no example: write one on a line.' : undefined };
}

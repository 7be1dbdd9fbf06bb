// Reads a message only by its form: steps written as `@agent.skill {json}`, one or several, or words. Pure.
import { Invalid } from '../../kernel/errors.ts';
import { JsonMistake, readJsonAt } from '../pick/json-at.ts';

export interface WrittenStep {
  agent: string;
  /** Undefined: the agent's only one. */
  skill: string | undefined;
  /** Undefined: none were written. */
  args: Record<string, unknown> | undefined;
  /** Words instead of JSON: for a skill that takes one text. */
  words: string;
  /** Joined to the step before by "then". */
  waits: boolean;
  /** Offset of its "@" in the message. */
  at: number;
}

export type Reading = { kind: 'steps'; steps: WrittenStep[] } | { kind: 'words'; text: string };

export const MAX_STEPS = 32;
const mention = /@([a-z0-9][a-z0-9-]{0,127})(?:\.([A-Za-z_][\w-]{0,127}))?(?=\s|\{|$)/y;
const begins = /@[a-z0-9]/g;

/** @throws Invalid, with the character where a step cannot be understood */
export function readMessage(text: string): Reading {
  const start = text.search(/\S/);
  if (start === -1 || text[start] !== '@') return { kind: 'words', text };
  const steps: WrittenStep[] = [];
  for (let at = start, waits = false; ;) {
    const step = readStep(text, at, waits);
    steps.push(step.step);
    if (step.next === undefined) return { kind: 'steps', steps };
    if (steps.length >= MAX_STEPS) throw mistakeAt(step.next.at, `a plan has at most ${MAX_STEPS} steps`);
    ({ at, waits } = step.next);
  }
}

export function mistakeAt(at: number, message: string): Invalid {
  return new Invalid([{ path: ['body', 'message', at], message: `character ${at + 1}: ${message}` }]);
}

interface ReadStep {
  step: WrittenStep;
  next: Following | undefined;
}

function readStep(text: string, at: number, waits: boolean): ReadStep {
  mention.lastIndex = at;
  const match = mention.exec(text);
  if (!match) throw mistakeAt(at, 'write @agent.skill, then its arguments as JSON: @greeter.greet {"name": "Ada"}');
  const [whole, agent = '', skill] = match;
  const behind = at + whole.length;
  const first = text.slice(behind).search(/\S/);
  const begin = first === -1 ? text.length : behind + first;
  if (text[begin] === '{') {
    const { args, end } = readArgs(text, begin);
    return { step: { agent, skill, args, words: '', waits, at }, next: stepAfter(text, end) };
  }
  const following = nextStep(text, behind);
  const step = { agent, skill, args: undefined, words: text.slice(behind, following?.end ?? text.length).trim(), waits, at };
  return { step, next: following };
}

/** Behind arguments nothing may stand but the next step. */
function stepAfter(text: string, end: number): ReadStep['next'] {
  const rest = text.slice(end).search(/\S/);
  if (rest === -1) return undefined;
  const following = nextStep(text, end);
  if (following?.end === end) return following;
  throw mistakeAt(end + rest, 'after the arguments only "then @agent.skill …" or a new line with "@…" may stand');
}

interface Following {
  at: number;
  waits: boolean;
  /** Where what stands before it ends. */
  end: number;
}

/**
 * The first mention that follows "then", ";" or "->", or stands first on its line. Found backwards from each
 * "@", so that it costs what the text is long.
 */
function nextStep(text: string, from: number): Following | undefined {
  begins.lastIndex = from;
  for (let match = begins.exec(text); match; match = begins.exec(text)) {
    const before = behindWords(text, from, match.index);
    const newLine = text.slice(before, match.index).includes('\n');
    const word = joints.find(({ text: joint }) => text.endsWith(joint, before) && before - joint.length >= from);
    const spaced = word?.text !== 'then' || /\s/.test(text[before - 5] ?? '') || before - 4 === from;
    if (word && spaced) return { at: match.index, waits: word.waits, end: behindWords(text, from, before - word.text.length) };
    if (newLine) return { at: match.index, waits: false, end: before };
  }
  return undefined;
}

/** Lines, and ";", do not wait for each other. */
const joints = [
  { text: 'then', waits: true },
  { text: '->', waits: true },
  { text: '→', waits: true },
  { text: ';', waits: false },
];

/** Where the white space before `to` starts. */
function behindWords(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && /\s/.test(text[at - 1] ?? '')) at -= 1;
  return at;
}

function readArgs(text: string, begin: number): { args: Record<string, unknown>; end: number } {
  try {
    const { value, end } = readJsonAt(text, begin);
    // Safe: what starts with { is read as an object.
    return { args: value as Record<string, unknown>, end };
  } catch (error) {
    if (error instanceof JsonMistake) throw mistakeAt(error.at, error.message);
    throw error;
  }
}

// What a failed check says: a sentence, what failed by name, and the end of what was printed; plain text of
// bounded length.
import { stripVTControlCharacters } from 'node:util';

/** Of a whole message; the build's log has everything. */
export const maxMessage = 4_000;
const maxOne = 800;
/** Less of the output than this is of no use. */
const leastOutput = 200;

export interface Failed {
  sentence: string;
  /** Each test or type error, the first line with its name. */
  failures: readonly string[];
  /** What was printed meanwhile; its end may be shown. */
  output: string;
}

/** Without colours and control characters; ends of lines stay. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text.toWellFormed())
    .replaceAll('\t', '  ')
    .replace(/[^\P{Cc}\n]/gu, '');
}

/** At most so long, half a character at its end left out. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${dropHalf(text.slice(0, max - 2))} …`;
}

const dropHalf = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, '');

/** Checks that failed together share the length. */
export function failureMessage(failed: readonly Failed[], max = maxMessage): string {
  const share = Math.floor((max - failed.length) / Math.max(1, failed.length));
  return failed.map((one) => messageOf(one, share)).join('\n');
}

function messageOf({ sentence, failures, output }: Failed, max: number): string {
  const more = (left: number): string => `and ${left} more`;
  let message = cut(plainText(sentence), max);
  let shown = 0;
  for (const failure of failures) {
    const text = `\n${cut(plainText(failure).trim(), maxOne)}`;
    if (message.length + text.length + more(failures.length).length + 1 > max) break;
    message += text;
    shown += 1;
  }
  if (shown < failures.length) return `${message}\n${more(failures.length - shown)}`;
  const printed = lastLines(plainText(output), max - message.length - 1);
  return printed === '' ? message : `${message}\n${printed}`;
}

/** Whole lines from the end that fit together. */
function lastLines(text: string, max: number): string {
  if (max < leastOutput) return '';
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const tail: string[] = [];
  let length = 0;
  for (const line of lines.reverse()) {
    length += line.length + 1;
    if (length > max) break;
    tail.unshift(line);
  }
  return tail.join('\n');
}

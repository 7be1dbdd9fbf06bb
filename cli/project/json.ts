// A JSON file of the author's: what is wrong in it, and in which line.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { parse, type ParseError } from 'jsonc-parser'; // VS Code's: JSON.parse names a position for some mistakes only
import { ProjectError } from './problem.ts';

/** @throws ProjectError that names the line */
export function parseJsonFile(file: string, text: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch (error) {
    throw new ProjectError([{ file, line: lineOfFault(text), message: error instanceof Error ? error.message : 'is not JSON' }]);
  }
}

/** From 1. */
function lineOfFault(text: string): number | undefined {
  const faults: ParseError[] = [];
  parse(text, faults, { disallowComments: true });
  const [first] = faults;
  return first && text.slice(0, first.offset).split('\n').length;
}

// Where in an author's file something stands: line and column, both from 1.
import { readFileSync } from 'node:fs';
import { withoutMark } from '../../../contract/wire/byte-order-mark.ts';

export interface Place {
  line?: number;
  column?: number;
}

/** A value of an option is looked for that many lines below it. */
const BELOW = 60;

/** Of `resources.memory` the member, else the field, else the class. */
export function placeOfField(file: string, attribute: string, className: string): Place {
  const lines = linesOf(file);
  const [field = '', ...members] = attribute.split('.').map((part) => part.replaceAll(/[^\w$]/g, ''));
  let place = find(
    lines,
    new RegExp(`^\\s+(?:(?:override|readonly|public|private|protected|async|static|declare)\\s+)*(?<at>${escaped(field)})\\s*[!?]?\\s*[:=(;]`),
  );
  if (!place) return placeOfClass(file, className);
  for (const member of members) {
    const next = find(lines, new RegExp(`(?<=^|[\\s{,'"])(?<at>${escaped(member)})['"]?\\s*[:,}]`), place);
    if (!next) break;
    place = next;
  }
  return place;
}

export function placeOfClass(file: string, className: string): Place {
  const lines = linesOf(file);
  const name = escaped(className);
  return (
    find(lines, new RegExp(`class\\s+(?<at>${name})(?![\\w$])`)) ??
    find(lines, new RegExp(`^\\s*(?:export\\s+)?(?:const|let|var|function)\\s+(?<at>${name})(?![\\w$])`)) ??
    {}
  );
}

/** The import that names a module. */
export function placeOfImport(file: string, specifier: string): Place {
  const lines = linesOf(file);
  const index = lines.findIndex((line) => /\b(?:import|export|from)\b/.test(line) && line.includes(specifier));
  return index < 0 ? {} : { line: index + 1 };
}

function find(lines: readonly string[], pattern: RegExp, from?: Place): { line: number; column: number } | undefined {
  const first = (from?.line ?? 1) - 1;
  const end = from === undefined ? lines.length : first + BELOW;
  for (const [index, line] of lines.slice(first, end).entries()) {
    const skipped = index === 0 ? (from?.column ?? 1) - 1 : 0;
    const match = pattern.exec(line.slice(skipped));
    const at = match?.groups?.['at'];
    if (match && at !== undefined) return { line: first + index + 1, column: skipped + match.index + match[0].indexOf(at) + 1 };
  }
  return undefined;
}

const escaped = (name: string): string => name.replaceAll('$', '\\$');

function linesOf(file: string): string[] {
  return withoutMark(readFileSync(file, 'utf8')).split('\n');
}

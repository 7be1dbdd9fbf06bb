// All rules of an account as one file, as people keep them in a repository: policies of Cedar, each with its
// name in @id("…"). A first line `// default: deny` says that only what a rule permits is allowed.
import type { PolicyDefault } from '../states.ts';
import type { RuleProblem } from './policy-rules.ts';
import { MAX_RULES, RULE_NAME } from './rule-limits.ts';

export interface FileRule {
  name: string;
  text: string;
  /** Where the text begins in the file, from 1. */
  line: number;
  column: number;
}

export interface RuleFile {
  policies: FileRule[];
  default_outcome: PolicyDefault;
  /** Places are of the file. */
  problems: RuleProblem[];
}

const DEFAULT_LINE = /^\/\/ default: (allow|deny)[ \t]*(?:\r?\n|$)/;

export function readRuleFile(file: string): RuleFile {
  const [directive = '', word] = DEFAULT_LINE.exec(file) ?? [];
  const masked = ' '.repeat(directive.length) + mask(file.slice(directive.length));
  const policies: FileRule[] = [];
  const problems: RuleProblem[] = [];
  const seen = new Set<string>();
  for (const [from, to] of piecesOf(masked, directive.length)) {
    const begins = from + (/\S/.exec(file.slice(from, to))?.index ?? 0);
    const text = file.slice(begins, to).trimEnd();
    const place = placeAt(file, begins);
    const name = nameIn(file.slice(begins, to), masked.slice(begins, to));
    const at = placeAt(file, from + masked.slice(from, to).search(/\S/));
    const problem = problemOf(name, seen);
    if (problem !== undefined) problems.push({ policy: name ?? null, ...at, length: 1, message: problem, help: null });
    else if (name !== undefined) policies.push({ name, text, ...place });
    if (name !== undefined) seen.add(name);
  }
  if (policies.length > MAX_RULES)
    problems.push({ policy: null, line: null, column: null, length: null, message: `There are more than ${MAX_RULES} policies`, help: null });
  return { policies, default_outcome: word === 'deny' ? 'deny' : 'allow', problems };
}

export function writeRuleFile({ policies, default_outcome }: { policies: readonly { name: string; text: string }[]; default_outcome: PolicyDefault }): string {
  const texts = policies.map(({ name, text }) => (nameIn(text, mask(text)) === undefined ? `@id("${name}")\n${text}` : text).trim());
  return `${[...(default_outcome === 'deny' ? ['// default: deny'] : []), ...texts].join('\n\n')}\n`;
}

/** The same problem where the file has it. */
export function inFile(rules: readonly FileRule[], problem: RuleProblem): RuleProblem {
  const rule = rules.find(({ name }) => name === problem.policy);
  if (!rule) return problem;
  if (problem.line === null || problem.column === null) return { ...problem, line: rule.line, column: rule.column, length: problem.length ?? 1 };
  return { ...problem, line: rule.line + problem.line - 1, column: problem.line === 1 ? rule.column + problem.column - 1 : problem.column };
}

function problemOf(name: string | undefined, seen: ReadonlySet<string>): string | undefined {
  if (name === undefined) return 'This policy has no name: write @id("…") before it';
  if (!RULE_NAME.test(name)) return `"${name.slice(0, 100)}" is no name of a policy: use lower-case letters, digits and inner hyphens, 63 at most`;
  return seen.has(name) ? `There is a policy "${name}" above: give each its own name` : undefined;
}

/**
 * Every policy with the comments before it: from where the one before it ends to its semicolon, or to the end
 * of the file.
 */
function piecesOf(masked: string, from: number): [number, number][] {
  const pieces: [number, number][] = [];
  let begin = from;
  for (let at = masked.indexOf(';', begin); at !== -1; at = masked.indexOf(';', begin)) {
    pieces.push([begin, at + 1]);
    begin = at + 1;
  }
  if (masked.slice(begin).trim() !== '') pieces.push([begin, masked.length]);
  return pieces;
}

function nameIn(text: string, masked: string): string | undefined {
  const idMatch = /@\s*id\s*\(\s*"/.exec(masked);
  if (!idMatch) return undefined;
  const begins = idMatch.index + idMatch[0].length;
  return text.slice(begins, masked.indexOf('"', begins));
}

/** Without comments and what stands in strings; as long as it was. */
function mask(text: string): string {
  return text.replace(/\/\/[^\n]*|"(?:[^"\\]|\\[\s\S])*"?/g, (found) => {
    if (found.startsWith('//')) return ' '.repeat(found.length);
    const inner = found.slice(1, found.length > 1 && found.endsWith('"') ? -1 : undefined);
    return `"${inner.replaceAll(/[^\n]/g, '_')}${found.slice(1 + inner.length)}`;
  });
}

function placeAt(text: string, index: number): { line: number; column: number } {
  const lines = text.slice(0, Math.max(0, index)).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

// The table of both SDKs as Markdown: `node sdk/parity/table.ts` writes sdk/PARITY.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareApis, isDifference, type Row } from './compare.ts';
import { pythonApi } from './python.ts';
import { REASONS } from './reasons.ts';
import { typescriptApi } from './typescript.ts';

export const TABLE = join(import.meta.dirname, '../PARITY.md');

const matches = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.()[\]\\+?^$|{}]/g, String.raw`\$&`).replaceAll('*', '.*')}$`).test(name);
/** The most exact one. */
const reasonOf = ({ name }: Row): string | undefined =>
  REASONS.filter(([pattern]) => matches(pattern, name)).sort(([one], [other]) => other.replace('*', '').length - one.replace('*', '').length)[0]?.[1];

export const parityRows = (): Row[] => compareApis(typescriptApi(), pythonApi());
export const withoutReason = (rows: readonly Row[]): Row[] => rows.filter((row) => isDifference(row) && reasonOf(row) === undefined);
export const unusedReasons = (rows: readonly Row[]): string[] =>
  REASONS.map(([pattern]) => pattern).filter((pattern) => !rows.some((row) => isDifference(row) && matches(pattern, row.name)));

export function parityTable(rows: readonly Row[]): string {
  const shared = rows.filter((row) => !isDifference(row));
  const cell = ({ name, asynchronous }: Row, language: 'typescript' | 'python', has: boolean): string =>
    has ? `\`${name}\`${asynchronous === language ? ' (asynchronous)' : ''}` : '-';
  const lines = rows
    .filter(isDifference)
    .map((row) => `| ${cell(row, 'typescript', row.typescript)} | ${cell(row, 'python', row.python)} | ${reasonOf(row) ?? '**no reason is written**'} |`);
  return [
    '# TypeScript and Python, side by side',
    '',
    'Written by `node sdk/parity/table.ts` from the public API of both SDKs; a test compares. Names are given in snake_case; TypeScript writes them in',
    'camelCase, and seconds as `timeoutSeconds`. What awaits in one language awaits in the other, unless a row says so.',
    '',
    `## In both (${shared.length})`,
    '',
    ...grouped(shared),
    '',
    `## In one of them (${lines.length})`,
    '',
    '| TypeScript | Python | Why |',
    '|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

/** A line for each type: its members. */
function grouped(rows: readonly Row[]): string[] {
  const types = new Map<string, string[]>();
  for (const { name } of rows) {
    const [owner = '', ...member] = name.split('.');
    types.set(owner, [...(types.get(owner) ?? []), ...member]);
  }
  return [...types].map(([owner, members]) => `- \`${owner}\`${members.length > 0 ? `: ${members.map((name) => `\`${name}\``).join(', ')}` : ''}`);
}

if (import.meta.main) writeFileSync(TABLE, parityTable(parityRows()));

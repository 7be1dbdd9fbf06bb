// docs/errors.md, as `npm run contract` writes it: every code with its status, meaning and remedy.
import { ERROR_LISTS } from './index.ts';
import type { ErrorEntry } from './kit.ts';

const INTRODUCTION = `# Error codes

Written by \`npm run contract\` from \`contract/errors/\`. Do not edit.

A refusal is \`{ "detail": { "code", "message", "request_id", … } }\`. Branch on the status, then on the code. A code without a status is never
the code of an answer: it says how a deployment, job, run or step ended. An agent may answer with codes of its own, which are free text.
`;

export function errorReference(): string {
  const lists = Object.entries(ERROR_LISTS).map(([name, list]) => `## ${name}\n\n| code | status | meaning | remedy |\n|---|---|---|---|\n${rowsOf(list)}`);
  return `${INTRODUCTION}\n${lists.join('\n')}`;
}

function rowsOf(list: Record<string, ErrorEntry>): string {
  return Object.entries(list)
    .map(([code, { status, meaning, remedy }]) => `| \`${code}\` | ${status ?? ''} | ${meaning} | ${remedy.replaceAll('<', '&lt;')} |\n`)
    .join('');
}

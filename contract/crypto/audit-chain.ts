// The chain of an organization's audit log, and what checks a file of it. Who has the file needs nothing
// else.
import { z } from 'zod';
import { canonicalJson } from '../wire/canonical.ts';
import { AuditLine } from '../orgs/organization-settings.ts';
import { sha256Hex } from './sha256.ts';

/** What the first row carries as the hash before it. */
export const FIRST_PREVIOUS = '0'.repeat(64);

/** `entry`: canonical JSON. */
export function chainHash(previous: string, entry: string): string {
  return sha256Hex(`${previous}\n${entry}`);
}

export interface CheckedLog {
  organization: string | undefined;
  rows: number;
  head: { sequence: number; sha256: string } | undefined;
  /** In words, each with the number of its line; empty: it holds together. */
  problems: string[];
}

const Sequenced = z.object({ sequence: z.int().min(1) });
const MOST_PROBLEMS = 20;

/** Lines of an export. `head`: the hash of the newest row, as noted elsewhere. */
export function checkAuditLog(lines: Iterable<string>, head?: string): CheckedLog {
  const checkedLog: CheckedLog = { organization: undefined, rows: 0, head: undefined, problems: [] };
  const note = (line: number, what: string): void => void (checkedLog.problems.length < MOST_PROBLEMS && checkedLog.problems.push(`line ${line}: ${what}`));
  let last = { sequence: 0, sha256: FIRST_PREVIOUS };
  let number = 0;
  for (const text of lines) {
    number += 1;
    if (text.trim() === '') continue;
    const line = read(text);
    if (!line) note(number, 'is no line of an audit log');
    else if (checkedLog.head) note(number, 'stands after the head');
    else if (line.head) {
      checkedLog.head = { sequence: line.head.sequence, sha256: line.head.sha256 };
      checkedLog.organization = line.head.organization;
      if (line.head.sha256 !== last.sha256 || line.head.sequence !== last.sequence)
        note(number, `the head is of row ${line.head.sequence}, the last row is ${last.sequence}`);
    } else {
      last = row(line, last, (what) => note(number, what));
      checkedLog.rows += 1;
    }
  }
  if (!checkedLog.head) note(number, 'the head is missing: the file is cut off');
  if (head !== undefined && head !== last.sha256) checkedLog.problems.push('the head is not the one that was noted');
  return checkedLog;
}

function row(line: z.infer<typeof AuditLine>, last: { sequence: number; sha256: string }, note: (what: string) => void): { sequence: number; sha256: string } {
  const entry = Sequenced.safeParse(line.entry);
  if (!entry.success || line.sha256 === undefined || line.previous_sha256 === undefined) {
    note('has no entry or no hashes');
    return last;
  }
  const { sequence } = entry.data;
  if (sequence !== last.sequence + 1) note(`row ${last.sequence + 1} is expected, this is ${sequence}: rows are missing, twice or in another order`);
  if (line.previous_sha256 !== last.sha256) note(`row ${sequence} does not follow the row before it`);
  if (chainHash(line.previous_sha256, canonicalJson(line.entry)) !== line.sha256) note(`row ${sequence} was changed`);
  return { sequence, sha256: line.sha256 };
}

function read(text: string): z.infer<typeof AuditLine> | undefined {
  try {
    return AuditLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

// What is kept of a plain call, as its readers get it.
import type { Knex } from 'knex';
import { ERRORS, isErrorCode } from '#contract/errors/index.ts';
import type { CallContentsRow } from '#db/tables.ts';
import { type Fault, storedFault } from '../../kernel/errors.ts';

export async function contentOf(db: Knex, runId: string): Promise<CallContentsRow | undefined> {
  return db('call_contents').where({ run_id: runId }).first();
}

/** Only for the account that the run works for, and only until `now`: it may not have been swept yet. */
export function shownContent(row: CallContentsRow | undefined, userId: string, now: number): CallContentsRow | undefined {
  return row && row.user_id === userId && row.content_until.getTime() > now ? row : undefined;
}

/** What the agent reply, else what the code means. */
export function faultOfCall(code: string | null, row: Pick<CallContentsRow, 'error'> | undefined): Fault {
  const stored = row?.error && { message: '', ...row.error };
  const reply = stored ? storedFault(stored) : null;
  if (reply && reply.message !== '') return reply;
  const known = code ?? reply?.code ?? 'unknown';
  const { meaning, remedy } = isErrorCode(known) ? ERRORS[known] : { meaning: 'The call failed.', remedy: '' };
  return { code: known, message: [meaning, remedy].filter((text) => text !== '').join(' ') };
}

/** Undefined: it is not kept. */
export function valueIn(text: string | null | undefined): unknown {
  return text === null || text === undefined ? undefined : JSON.parse(text);
}

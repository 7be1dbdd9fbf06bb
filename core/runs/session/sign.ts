// The last line: signed once, when the log is first read to its end, with the key of that time.
import { toBase64Url } from '#contract/wire/base64url.ts';
import { signedBytes, type SessionSeal } from '#contract/wire/session.ts';
import { headerSha256 } from '#contract/crypto/sha256.ts';
import type { JobsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { openPrivateKey, ensureReceiptKey } from '../../evidence/receipt/keys.ts';
import { signBytes } from '../../evidence/receipt/signature.ts';
import { isTerminal } from '../../jobs/model.ts';
import { system } from '../../kernel/act.ts';
import type { SessionView } from './find.ts';
import { headerOf, lastLineOf } from './model.ts';

/** Undefined: the session continues, or the log was not read to its end. */
export async function signSession(ctx: Ctx, row: SessionView, read: { head: string; events: number }): Promise<SessionSeal | undefined> {
  const known = lastLineOf(row);
  if (known) return known;
  // Its reader was asked; a seal adds nothing to what they read.
  return system(ctx, async (ctx) => {
    const job = await ctx.db('jobs').where({ job_id: row.job_id }).first();
    if (!job || !isTerminal(job.state) || job.last_seq !== read.events || job.ended_at === null) return undefined;
    const locked = await ctx.db('agent_sessions').where({ session_id: row.session_id }).forUpdate().first('seal');
    const existingLine = locked && lastLineOf(locked);
    if (existingLine) return existingLine;
    const key = await ensureReceiptKey(ctx, job.ended_at.getTime());
    const content: Omit<SessionSeal, 'signature'> = {
      type: 'seal',
      session_id: row.session_id,
      header_sha256: headerSha256(headerOf(row)),
      head: read.head,
      events: read.events,
      state: stateOf(job),
      receipt_id: receiptOf(job),
      ended_at: job.ended_at.toISOString(),
      kid: key.kid,
    };
    const signature = signBytes(signedBytes(content), await openPrivateKey(ctx.drivers.vault, key));
    const lastLine: SessionSeal = { ...content, signature: toBase64Url(signature) };
    const [stored] = await ctx
      .db('agent_sessions')
      .where({ session_id: row.session_id })
      .update({ seal: JSON.stringify(lastLine) })
      .returning('seal');
    // As it is stored, so that every reader gets the same text.
    return stored && (lastLineOf(stored) ?? undefined);
  });
}

// Safe: called for ended jobs only, and the column's CHECK constraint allows no other values for them.
function stateOf(job: Pick<JobsRow, 'state'>): SessionSeal['state'] {
  return job.state as SessionSeal['state'];
}

function receiptOf({ output }: Pick<JobsRow, 'output'>): string | null {
  return typeof output === 'object' && output !== null && 'receipt_id' in output && typeof output.receipt_id === 'string' ? output.receipt_id : null;
}

// Mail to postmaster and abuse (RFC 5321, 4.5.1; RFC 2142): a file of each operator, who reads it as any
// other. It runs nothing and is never answered.
import { createHash } from 'node:crypto';
import type { Refusal, Verdict } from '#drivers/mail/port.ts';
import { bucketOf } from '../../workspace/grant/bucket.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storeAttachment } from './attachment.ts';

export const POSTMASTER = new Set(['postmaster', 'abuse']);

const FOLDER = 'mail/postmaster';
const MOST_OPERATORS = 5;
/** Any sender can write here: how much one operator's files take in 24 hours. */
const MOST_A_DAY = 100;

const NOBODY: Refusal = { code: 450, message: '4.2.1 No operator of this installation has signed in yet: try again later' };
const FULL: Refusal = { code: 452, message: '4.2.2 The postmaster has reached its limit of mail for today: try again tomorrow' };

/** Undefined: at least one operator has it. The same mail again is one file. */
export async function storeForOperators(ctx: Ctx, raw: Buffer, { spf, dkim, dmarc }: Verdict): Promise<Refusal | undefined> {
  const operators = await ctx.db('users').where({ operator: true }).orderBy('created_at').limit(MOST_OPERATORS).select('user_id');
  if (operators.length === 0) return NOBODY;
  const digest = createHash('sha256').update(raw).digest('hex').slice(0, 16);
  const day = new Date(ctx.clock()).toISOString().slice(0, 10);
  // Ours stands first; what a sender wrote under this name counts for nothing.
  const seen = `Authentication-Results: ${ctx.drivers.mail?.hostname ?? 'localhost'}; spf=${word(spf)}; dkim=${word(dkim)}; dmarc=${dmarc}\r\n`;
  const file = { name: `${digest}.eml`, contentType: 'message/rfc822', content: Buffer.concat([Buffer.from(seen), raw]) };
  let stored = false;
  for (const { user_id: ownerId } of operators) {
    if ((await countFilesToday(ctx, ownerId)) >= MOST_A_DAY) continue;
    stored = (await storeAttachment(ctx, { ownerId, path: `${FOLDER}/${day}-${digest}.eml`, file })) !== null || stored;
  }
  return stored ? undefined : FULL;
}

async function countFilesToday({ db, clock }: Ctx, ownerId: string): Promise<number> {
  const rows = await db('files')
    .where({ bucket: bucketOf(ownerId) })
    .where('path', 'like', `${FOLDER}/%`)
    .where('created_at', '>', new Date(clock() - 86_400_000))
    .limit(MOST_A_DAY)
    .select('path');
  return rows.length;
}

const word = (result: string): string => /^[a-z]+/.exec(result)?.[0] ?? 'none';

// Whether a credential works: the model is asked for one word. A real request, since a list of models says
// nothing of who may use them.
import type { LlmCredentialsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError } from '../../kernel/errors.ts';
import { storableText } from '../../kernel/storable.ts';
import { generateAnswer } from './generate.ts';

const timeoutMs = 20_000;

/** The row with what came of it. Never rejects for what the endpoint did. */
export async function probe(ctx: Ctx, row: LlmCredentialsRow): Promise<LlmCredentialsRow> {
  const outcome = await attempt(ctx, row);
  const [checked] = await ctx
    .db('llm_credentials')
    // Replaced or deleted meanwhile: what was found is not about what is there now.
    .where({ credential_id: row.credential_id, updated_at: row.updated_at })
    .update({ ...outcome, checked_at: new Date(ctx.clock()).toISOString() })
    .returning('*');
  return checked ?? row;
}

async function attempt(ctx: Ctx, row: LlmCredentialsRow): Promise<{ check_state: string; check_message: string | null }> {
  try {
    await generateAnswer(ctx, {
      userId: row.user_id,
      credential: row.name,
      purpose: 'probe',
      messages: [{ role: 'user', text: 'Answer with the one word: ok' }],
      maxOutputTokens: 16,
      signal: AbortSignal.timeout(timeoutMs * 2),
      timeoutMs,
    });
    return { check_state: 'works', check_message: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { check_state: error.code, check_message: storableText(error.message) };
  }
}

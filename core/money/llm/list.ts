import type { LlmCredentialOut } from '#contract/money/llm-creds.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { dayOf, presentCredential } from './credential.ts';

/** All of the account's, by name. */
export async function listCredentials(ctx: Ctx): Promise<{ items: LlmCredentialOut[] }> {
  const { user_id } = requireUser(ctx, 'llm_credential.list');
  const month = dayOf(ctx.clock()).slice(0, 7);
  const rows = await ctx.db('llm_credentials').where({ user_id }).orderBy('name');
  const spending = await ctx
    .db('llm_spending')
    .where({ month })
    .whereIn(
      'credential_id',
      rows.map(({ credential_id }) => credential_id),
    );
  return {
    items: rows.map((row) => {
      const { spent_micros = 0, reserved_micros = 0 } = spending.find(({ credential_id }) => credential_id === row.credential_id) ?? {};
      return presentCredential(row, { month, spent_micros, reserved_micros });
    }),
  };
}

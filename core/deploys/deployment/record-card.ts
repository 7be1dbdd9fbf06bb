import type { Fault } from '../../kernel/errors.ts';
import type { DeploymentsRow } from '#db/tables.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { stillMissing } from '../../agents/secret/warnings.ts';
import type { CardCheck } from './card.ts';

/** What the started agent said of itself, and what it lacks of what it asks for; resolves with the latter. */
export async function recordCard(ctx: Ctx, row: Pick<DeploymentsRow, 'deploy_id' | 'agent_id'>, check: CardCheck): Promise<Fault[]> {
  return system(ctx, async (ctx) => {
    // The agent's row first: a secret that is set at this moment is either seen here or corrects what is
    // written here.
    await ctx.db('agents').where({ agent_id: row.agent_id }).forUpdate().first('agent_id');
    const set = await ctx.db('agent_secrets').where({ agent_id: row.agent_id }).pluck('name');
    const bound = await ctx.db('database_bindings').where({ agent_id: row.agent_id }).pluck('variable');
    const warnings = stillMissing(check.warnings, [...set, ...bound]);
    await ctx
      .db('deployments')
      .where({ deploy_id: row.deploy_id })
      .update({ card: JSON.stringify(check.card), warnings: JSON.stringify(warnings) });
    return warnings;
  });
}

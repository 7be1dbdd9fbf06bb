import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { inTx } from '../../kernel/tx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { agentFor } from '../agent/find.ts';
import { restartAgent } from '../followers.ts';
import { correctWarnings } from './warnings.ts';

/** @throws NotFound secret_not_found; with `restart` Conflict deployment_under_way */
export async function deleteSecret(ctx: Ctx, i: { name: string; key: string; restart: boolean }): Promise<void> {
  const user = requireUser(ctx, 'agent_secret.delete');
  await inTx(ctx, async (ctx) => {
    const { agent_id } = await agentFor(ctx.db, user, 'agent_secret.delete', i.name);
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    const gone = await ctx.db('agent_secrets').where({ agent_id, name: i.key }).delete();
    if (gone === 0) throw new NotFound('secret_not_found', `${i.name} has no secret ${i.key}`);
    await correctWarnings(ctx.db, agent_id, i.key, 'deleted');
    await audit(ctx, 'agent_secret.delete', { agent: agent_id }, { key: i.key });
    if (i.restart) await restartAgent(ctx, user, agent_id);
  });
}

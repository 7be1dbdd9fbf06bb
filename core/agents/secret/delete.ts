import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { agentNamed } from '../agent/find.ts';
import { restartAgent } from '../followers.ts';
import { correctWarnings } from './warnings.ts';

/** @throws NotFound secret_not_found; with `restart` Conflict deployment_under_way */
export async function deleteSecret(ctx: Ctx, i: { name: string; key: string; restart: boolean }): Promise<void> {
  await act(ctx, 'agent_secret.delete', agentNamed(i.name), async (ctx, { agent_id, owner_id }) => {
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    const gone = await ctx.db('agent_secrets').where({ agent_id, name: i.key }).delete();
    if (gone === 0) throw new NotFound('secret_not_found', `${i.name} has no secret ${i.key}`);
    await correctWarnings(ctx.db, agent_id, i.key, 'deleted');
    if (i.restart) await restartAgent(ctx, { user_id: owner_id }, agent_id);
    return done({ agent: agent_id }, { key: i.key });
  });
}

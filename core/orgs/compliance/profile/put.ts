import type { AgentProfileIn, AgentProfileOut } from '#contract/orgs/compliance.ts';
import { routeChanged } from '../../../agents/route/changed.ts';
import { act, recorded } from '../../../kernel/act.ts';
import { audit } from '../../../kernel/audit.ts';
import { type Ctx, personOf, type TxCtx } from '../../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../../kernel/errors.ts';
import { organizationNamed } from '../../organization/find.ts';
import { presenter, selectProfiles } from './list.ts';

/** @throws NotFound agent_not_found; Conflict compliance_profile_changed */
export async function putProfile(ctx: Ctx, { slug, agent_name, ...i }: AgentProfileIn & { slug: string; agent_name: string }): Promise<AgentProfileOut> {
  return act(ctx, 'compliance.profile', organizationNamed(slug), async (ctx, { organization_id, actor }) => {
    const agent = await ctx
      .db('agents')
      .where({ name: agent_name, owner_id: organization_id })
      .whereNull('deleted_at')
      .forUpdate()
      .first('agent_id', 'visibility');
    if (!agent) throw new NotFound('agent_not_found', `The organization has no agent ${agent_name}: list its agents`);
    const { agent_id } = agent;
    const { risk_tier, intended_purpose, human_oversight, notes } = i;
    const version = i.version + 1;
    const by = personOf(actor);
    const at = new Date(ctx.clock());
    const row = { agent_id, organization_id, risk_tier, intended_purpose, human_oversight, notes, version, updated_by: by, updated_at: at };
    const [saved] =
      i.version === 0
        ? await ctx.db('compliance_profiles').insert(row).onConflict('agent_id').ignore().returning('agent_id')
        : await ctx.db('compliance_profiles').where({ agent_id, version: i.version }).update(row).returning('agent_id');
    if (!saved) throw new Conflict('compliance_profile_changed', `The profile of ${agent_name} was changed since you read it: read it again, then save`); // prettier-ignore
    const { updated_by: changed_by, updated_at: changed_at, organization_id: _, ...words } = row;
    await ctx.db('compliance_profile_log').insert({ ...words, changed_by, changed_at });
    await audit(ctx, 'compliance.profile', { agent: agent_id }, { agent: agent_name, risk_tier, version });
    if (risk_tier === 'unacceptable' && agent.visibility === 'public') await takeOut(ctx, agent_id, agent_name);
    const profiles = await selectProfiles(ctx.db, organization_id).where('a.agent_id', agent_id);
    const [shown] = profiles.map(await presenter(ctx.db, organization_id, profiles));
    if (!shown) throw new Error(`${agent_name} is gone`);
    return recorded(shown);
  });
}

/** Others neither find nor call it any more. */
async function takeOut(ctx: TxCtx, agentId: string, name: string): Promise<void> {
  await ctx
    .db('agents')
    .where({ agent_id: agentId })
    .update({ visibility: 'unlisted', updated_at: ctx.db.raw('now()') });
  await routeChanged(ctx.db, name);
  await audit(ctx, 'agent.visibility', { agent: agentId }, { visibility: 'unlisted', risk_tier: 'unacceptable' });
}

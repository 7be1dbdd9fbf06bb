import type { z } from 'zod';
import type { InstalledAgentListOut, InstalledAgentOut, InstallIn } from '#contract/agents/installed-agents.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { instantOf, microseconds } from '../../kernel/keyset.ts';
import { decodeCursor, encodeCursor } from '../../kernel/page.ts';
import { type AgentView, selectAgents } from '../agent/select.ts';
import { agentUrl } from '../agent/url.ts';
import { agentFor } from '../agent/find.ts';
import { fieldsOf } from '../card/setup-fields.ts';
import { setupPath } from '../setup/fields.ts';
import { missingOf, resolveFields } from '../setup/resolve.ts';

type Out = z.infer<typeof InstalledAgentOut>;

/**
 * Again changes nothing. Off the list also goes what is no longer there to be seen. @throws NotFound
 * agent_not_found
 */
export async function installAgent(ctx: Ctx, i: { name: string } & z.infer<typeof InstallIn>): Promise<Out> {
  return act(ctx, 'agent.install', requireUser, async (ctx, user) => {
    const agent = i.installed ? await agentFor(ctx.db, user, 'agent.install', i.name) : await seenAgent(ctx, user, i.name);
    const own = { user_id: user.user_id, agent_id: agent.agent_id };
    const before = await ctx.db('installed_agents').where(own).first('installed_at');
    const changed = i.installed
      ? (await ctx.db('installed_agents').insert(own).onConflict(['user_id', 'agent_id']).ignore().returning('agent_id')).length
      : await ctx.db('installed_agents').where(own).delete();
    const after = await ctx.db('installed_agents').where(own).first('installed_at');
    const shown = await present(ctx, user, agent, (after ?? before)?.installed_at ?? new Date(ctx.clock()));
    if (changed === 0) return unchanged(shown);
    return done({ agent: agent.agent_id }, { name: agent.name }, shown, i.installed ? {} : { action: 'agent.uninstall' });
  });
}

/** Newest first. */
export async function listInstalled(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<z.infer<typeof InstalledAgentListOut>> {
  const user = requireUser(ctx, 'agent.list_installed');
  const [at, after] = i.cursor === undefined ? [undefined, undefined] : decodeCursor(i.cursor, ['number', 'string']);
  const { rows } = await ctx.db.raw<{ rows: { agent_id: string; installed_at: Date; at: number }[] }>(
    `select i.agent_id, i.installed_at, ${microseconds('i.installed_at')} as at
     from installed_agents i join agents a on a.agent_id = i.agent_id and a.deleted_at is null
     where i.user_id = :owner ${at === undefined ? '' : `and (i.installed_at, i.agent_id) < (${instantOf('at')}, :after)`}
     order by i.installed_at desc, i.agent_id desc limit :limit`,
    { owner: user.user_id, limit: i.limit + 1, ...(at === undefined || after === undefined ? {} : { at, after }) },
  );
  const page = rows.slice(0, i.limit);
  const agents = new Map((await selectAgents(ctx.db, 'a.agent_id = any(:ids)', { ids: page.map(({ agent_id }) => agent_id) })).map((a) => [a.agent_id, a]));
  const items: Out[] = [];
  for (const row of page) {
    const agent = agents.get(row.agent_id);
    if (agent) items.push(await present(ctx, user, agent, row.installed_at));
  }
  const last = page.at(-1);
  return { items, next_cursor: rows.length > i.limit && last ? encodeCursor([last.at, last.agent_id]) : null };
}

/** Visible now, or installed when it was. */
async function seenAgent(ctx: Ctx, user: UserActor, name: string): Promise<AgentView> {
  const [agent] = await selectAgents(
    ctx.db,
    'a.name = :name and exists (select 1 from installed_agents i where i.agent_id = a.agent_id and i.user_id = :owner)',
    {
      name,
      owner: user.user_id,
    },
  );
  if (!agent) throw new NotFound('agent_not_found', `You have installed no agent ${name}`);
  return agent;
}

async function present(ctx: Ctx, user: UserActor, agent: AgentView, installedAt: Date): Promise<Out> {
  const mine = agent.owner_id === user.user_id;
  const available = agent.live_deploy_id !== null && (mine || agent.visibility === 'public');
  // Of an agent that is no longer theirs to see only its name is shown.
  const visible = mine || agent.visibility === 'public';
  const resolvedFields = visible ? await resolveFields(ctx.db, { agentId: agent.agent_id, fields: fieldsOf(agent.card), userId: user.user_id }) : [];
  const missing = missingOf(resolvedFields).map(({ field }) => field.name);
  return {
    name: agent.name,
    description: visible ? agent.description : '',
    version: visible ? agent.version : null,
    url: agentUrl(ctx.config, agent.name),
    mine,
    available,
    setup: { complete: missing.length === 0, missing, path: setupPath(agent.name) },
    installed_at: installedAt.toISOString(),
  };
}

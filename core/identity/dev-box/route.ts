// Where requests for `<agent>--dev` go: to the server in the owner's dev box. Only the owner passes.
import { BOX_SUFFIX } from '#contract/wire/names.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import type { Ctx } from '../../kernel/ctx.ts';

const MAX_RUNTIME_MS = 900_000;

export async function resolveBoxRoute(ctx: Pick<Ctx, 'db' | 'drivers'>, label: string): Promise<AgentRoute | undefined> {
  const { boxes } = ctx.drivers;
  const row: { box_id: string; agent_id: string; owner_id: string } | undefined = await ctx
    .db('dev_boxes as b')
    .join('agents as a', 'a.agent_id', 'b.agent_id')
    .where({ 'a.name': label.slice(0, -BOX_SUFFIX.length) })
    .whereNull('a.deleted_at')
    .whereRaw('a.owner_id = b.owner_id')
    .whereRaw('not exists (select 1 from control_policies p where p.user_id = b.owner_id and p.suspended)')
    .first('b.box_id', 'b.agent_id', 'b.owner_id');
  if (!row || !boxes) return undefined;
  return {
    agentId: row.agent_id,
    agentName: label,
    ownerId: row.owner_id,
    deployId: row.box_id,
    version: 'dev',
    image: 'dev-box',
    runtime: 'dev-box',
    visibility: 'unlisted',
    address: boxes.address(row.box_id, 'web'),
    apiKey: '',
    maxRuntimeMs: MAX_RUNTIME_MS,
    box: true,
  };
}

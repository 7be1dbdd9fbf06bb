// Where one deployment's own machine is, whether or not it still gets new calls: for what belongs to a run
// inside it.
import type { AgentAddress } from '#drivers/agent-http/address.ts';
import type { InstancesRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { apiKeyContext } from './resolve.ts';

export interface InstanceRoute {
  instanceId: string;
  /** Of the instance; the first bytes of a connection wake it. */
  address: AgentAddress;
  apiKey: string;
}

/** Undefined once the deployment's machine is gone. */
export async function resolveInstance(ctx: Pick<Ctx, 'db' | 'drivers'>, deployId: string): Promise<InstanceRoute | undefined> {
  const row = await ctx
    .db('instances')
    .where({ deploy_id: deployId })
    .whereIn('state', ['serving', 'draining'])
    .orderBy('created_at', 'desc')
    .first('instance_id', 'api_key_sealed');
  return row && routeTo(ctx, row);
}

/** To an instance whose row is there already. */
export async function routeTo(ctx: Pick<Ctx, 'drivers'>, row: Pick<InstancesRow, 'instance_id' | 'api_key_sealed'>): Promise<InstanceRoute> {
  const key = await ctx.drivers.vault.open(row.api_key_sealed, apiKeyContext(row.instance_id));
  return { instanceId: row.instance_id, address: ctx.drivers.runtime.address(row.instance_id), apiKey: Buffer.from(key).toString() };
}

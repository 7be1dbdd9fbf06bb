// Sends to the hosts of an account's machines whether its policy lets them reach the outside: at once when
// the policy changes, and by a loop for machines that did not get it then, or started meanwhile. Records what
// hosts refused by it.
import type { Knex } from 'knex';
import type { NetworkDenial } from '#drivers/runtime/port.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { recordDenial } from '../../policy/deny.ts';
import { policyOf } from '../../policy/known.ts';
import { NO_POLICY_SHA256 } from '../../policy/model.ts';
import { onlyRunIn } from './machine-run.ts';

/** Machines in one round, and how many at a time. */
const ROUND = 200;
const AT_ONCE = 10;
/** A change of the policy is not answered later than this for hosts that do not answer. */
const TELL_MS = 3_000;

interface Differing {
  instance_id: string;
  denied: boolean;
}

/** Machines that may reach what their account's policy says they may not, or the other way round. */
async function differing(db: Knex, of: { node: string } | { owner: string }): Promise<Differing[]> {
  const { rows } = await db.raw<{ rows: Differing[] }>(
    `select i.instance_id, coalesce(p.deny_external_network, false) as denied
     from instances i join agents a using (agent_id) left join control_room_policies p on p.user_id = a.owner_id
     where i.state <> 'stopped' and i.network_denied <> coalesce(p.deny_external_network, false) and ${'node' in of ? 'i.node = :node' : 'a.owner_id = :owner'}
     order by i.instance_id limit ${ROUND}`,
    of,
  );
  return rows;
}

/** Resolves with the number of machines that did not get it in time. */
export async function tellHosts(ctx: Ctx, ownerId: string): Promise<number> {
  const machines = await differing(ctx.db, { owner: ownerId });
  if (machines.length === 0) return 0;
  const telling = tell(ctx, machines);
  await Promise.race([telling, new Promise((resolve) => setTimeout(resolve, TELL_MS).unref())]);
  return (await differing(ctx.db, { owner: ownerId })).length;
}

/** One round for the machines of a host. Resolves with the number that got it. */
export async function tellHost(ctx: Ctx, node: string): Promise<number> {
  return tell(ctx, await differing(ctx.db, { node }));
}

async function tell(ctx: Ctx, machines: readonly Differing[]): Promise<number> {
  const left = [...machines];
  let sent = 0;
  const work = async (): Promise<void> => {
    for (let one = left.pop(); one; one = left.pop()) {
      const { instance_id, denied } = one;
      // A machine that does not exist yet, or does not answer, gets it in a later round.
      const done = await ctx.drivers.runtime.restrict(instance_id, { deny_external: denied }).then(
        () => true,
        () => false,
      );
      if (!done) continue;
      await ctx.db('instances').where({ instance_id }).update({ network_denied: denied });
      sent += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return sent;
}

/** Each refusal is recorded once, with how far the host was read. Resolves with how many there were. */
export async function takeNetworkDenials(ctx: Ctx, node: string): Promise<number> {
  const known = await ctx.db('policy_network_positions').where({ node }).first();
  const { boot_id, items } = await ctx.drivers.runtime.networkDenials(known && { boot_id: known.boot_id, seq: known.seq });
  const fresh = items.filter((one) => known?.boot_id !== boot_id || one.seq > known.seq);
  for (const one of fresh) {
    await system(ctx, async (ctx) => {
      await ctx.db('policy_network_positions').insert({ node, boot_id, seq: one.seq }).onConflict('node').merge();
      await record(ctx, one);
    });
  }
  return fresh.length;
}

async function record(ctx: TxCtx, { instance_id, host, port }: NetworkDenial): Promise<void> {
  const machine = await ctx
    .db('instances as i')
    .join('agents as a', 'a.agent_id', 'i.agent_id')
    .where({ instance_id })
    .first<{ deploy_id: string; owner_id: string; name: string } | undefined>('i.deploy_id', 'a.owner_id', 'a.name');
  if (!machine) return;
  const set = await policyOf(ctx.db, machine.owner_id);
  const denial = {
    account_id: machine.owner_id,
    action: 'egress' as const,
    outcome: 'deny' as const,
    rule: 'deny_external_network',
    resource: `${host}:${port}`,
    message: `${machine.name} tried to reach ${host}:${port}, and the account lets its agents reach nothing outside the platform`,
    policy_version: set?.version ?? 0,
    policy_sha256: set?.sha256 ?? NO_POLICY_SHA256,
    decision_id: null,
  };
  await recordDenial(ctx, denial, (await onlyRunIn(ctx.db, machine)) ?? { run_id: null, agent_name: machine.name, job_id: null });
}

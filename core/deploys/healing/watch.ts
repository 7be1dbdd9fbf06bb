// Sees which agents have failed as often as their policy allows, and begins one repair of each.
import type { Knex } from 'knex';
import { SelfHealing } from '#contract/wire/manifest.ts';
import { beginWork } from '../../jobs/long-work.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';

interface Failing {
  deploy_id: string;
  agent_id: string;
  source_sha256: string;
  policy: unknown;
  name: string;
  owner_id: string;
}

const atOnce = 100;

/**
 * A restart that no successful call has followed has not shown that it helped: the next failure brings the
 * last good version back, without a cool-down.
 */
const showed = `(outcome->>'code' is distinct from 'restart'
  or exists (select 1 from receipts r where r.deploy_id = agent_repairs.healed_deploy_id and r.status = 'ok'))`;

/** Resolves with the names of agents whose repair begins. */
export async function beginRepairs(ctx: Ctx): Promise<string[]> {
  const { rows } = await ctx.db.raw<{ rows: Failing[] }>(
    `select d.deploy_id, d.agent_id, d.source_sha256, d.manifest->'self_healing' as policy, a.name, a.owner_id
     from (select distinct deploy_id from agent_failures where at > now() - interval '1 hour') f
     join deployments d using (deploy_id)
     join agents a on a.agent_id = d.agent_id and a.live_deploy_id = d.deploy_id
     where d.state = 'live' and a.deleted_at is null
       and not exists (select 1 from agent_repairs r where r.agent_id = a.agent_id and r.ended_at is null)
     order by random() limit :atOnce`,
    { atOnce },
  );
  const begun: string[] = [];
  for (const row of rows) {
    const policy = SelfHealing.safeParse(row.policy);
    if (policy.success && policy.data.enabled && (await begin(ctx, row, policy.data))) begun.push(row.name);
  }
  return begun;
}

async function begin(ctx: Ctx, failing: Failing, policy: SelfHealing): Promise<boolean> {
  // The owner asked for it in svc.yaml.
  return system(ctx, async (ctx) => {
    // The agent's row first, as everywhere; also: one worker decides at a time.
    const agent = await ctx
      .db('agents')
      .where({ agent_id: failing.agent_id, live_deploy_id: failing.deploy_id })
      .whereNull('deleted_at')
      .forUpdate()
      .first('agent_id');
    if (!agent) return false;
    const code = await failedOften(ctx.db, failing, policy);
    if (code === undefined) return false;
    const { agent_id, deploy_id, name, owner_id, source_sha256 } = failing;
    const { rows } = await ctx.db.raw<{ rows: { today: number; waits: boolean; limited: boolean; open: boolean }[] }>(
      `select count(*) filter (where created_at > now() - interval '1 day' and steps <> '[]')::int as today,
         coalesce(bool_or(ended_at > now() - make_interval(secs => :cooldown) and ${showed}), false) as waits,
         coalesce(bool_or(outcome->>'code' = 'repair_limit' and created_at > now() - interval '1 day'), false) as limited,
         coalesce(bool_or(ended_at is null), false) as open
       from agent_repairs where agent_id = :agent_id and (ended_at is null or ended_at > now() - interval '2 days')`,
      { agent_id, cooldown: policy.cooldown_seconds },
    );
    const { today = 0, waits = false, limited = false, open = false } = rows[0] ?? {};
    const isOver = today >= policy.max_repairs_per_day;
    if (open || waits || (isOver && limited)) return false;
    const repair_id = newId('rep', ctx.clock());
    const job_id = await beginWork(ctx, {
      kind: 'heal',
      title: `Repair ${name}`,
      ownerId: owner_id,
      agent: { id: agent_id, name },
      workflowId: `heal:${repair_id}`,
      workflow: { type: 'selfHeal', input: () => ({ repair_id, over_limit: isOver, timeout_seconds: policy.deployment_timeout_seconds }) },
      input: { repair_id, deploy_id, code },
    });
    const error = { code, message: 'The agent failed by its own fault: its log has the details' };
    const facts = { repair_id, agent_id, deploy_id, job_id, source_sha256, policy: JSON.stringify(policy), error: JSON.stringify(error) };
    await ctx.db('agent_repairs').insert({ ...facts, state: 'queued' });
    await audit(ctx, 'repair.begin', { repair: repair_id }, { agent: name, deploy_id, code });
    return true;
  });
}

/**
 * The code of the last failure, where the last `consecutive_failures` are within the window and no call
 * succeeded since the first of them.
 */
async function failedOften(tx: Knex.Transaction, { agent_id, deploy_id }: Failing, policy: SelfHealing): Promise<string | undefined> {
  const last = await tx('agent_failures')
    .where({ deploy_id })
    .where('at', '>', tx.raw('now() - make_interval(secs => ?)', [policy.window_seconds]))
    .orderBy('failure_id', 'desc')
    .limit(policy.consecutive_failures)
    .select('at', 'code');
  const first = last.at(-1);
  if (last.length < policy.consecutive_failures || !first) return undefined;
  const answered = await tx('receipts').where({ agent_id, deploy_id, status: 'ok' }).where('created_at', '>', first.at).first('receipt_id');
  return answered ? undefined : last[0]?.code;
}

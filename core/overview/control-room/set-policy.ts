// A change of the policy. The first one puts the whole policy in force. What it makes weaker is said in the
// answer and in the audit log.
import type { Knex } from 'knex';
import type { z } from 'zod';
import { type ControlRoomPolicy, type ControlRoomPolicyIn, type ControlRoomPolicyOut, DEFAULT_POLICY } from '#contract/overview/control-room.ts';
import { tellHosts } from '../../deploys/deployment/network.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { requireUser } from '../../kernel/policy.ts';
import { countWhatWasSpent } from '../../money/llm/spent-before.ts';
import { forgetPolicies } from '../../policy/known.ts';
import { changesBetween, policyOfRow } from '../../policy/policy.ts';
import { presentControlRoomPolicy } from './present.ts';

type Change = z.output<typeof ControlRoomPolicyIn>;

/** @throws Conflict policy_version_conflict */
export async function setPolicy(ctx: Ctx, i: Change): Promise<ControlRoomPolicyOut> {
  const { version: expected, ...named } = i;
  const { row, loosened } = await act(ctx, 'control_room.policy', requireUser, async (ctx, { user_id }) => {
    // Two changes at once follow each other, the first of all too: before it there is no row to lock.
    await lockName(ctx.db, `control-room/${user_id}`);
    const row = await ctx.db('control_room_policies').where({ user_id }).first();
    const before = row && policyOfRow(row);
    const version = before?.version ?? 0;
    if (expected !== undefined && expected !== version)
      throw new Conflict('policy_version_conflict', `The policy has version ${version}, not ${expected}: read it again, then decide`, { version });
    const policy = merged(before?.policy ?? DEFAULT_POLICY, named);
    const changes = changesBetween(before?.policy, policy);
    if (before && changes.length === 0) return unchanged({ row, loosened: [] });
    const now = await write(ctx.db, { user_id, ...policy, version: version + 1 });
    await countWhatWasSpent(ctx, user_id, policy);
    const loosened = changes.filter((one) => one.loosened).map(({ member }) => member);
    return done({ user: user_id }, { version: version + 1, changes }, { row: now, loosened });
  });
  forgetPolicies(ctx.db);
  const machinesPending = await tellHosts(ctx, row.user_id);
  return presentControlRoomPolicy(policyOfRow(row), { changedAt: row.changed_at, loosened, machinesPending });
}

function merged(policy: ControlRoomPolicy, named: Omit<Change, 'version'>): ControlRoomPolicy {
  // Safe: members that are left out are undefined, and those stay as they are.
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)) as Partial<ControlRoomPolicy>;
  const all = { ...policy, ...given };
  return { ...all, approved_agents: [...new Set(all.approved_agents)].sort() };
}

type Written = ControlRoomPolicy & { user_id: string; version: number };

async function write(tx: Knex.Transaction, row: Written) {
  const [written] = await tx('control_room_policies')
    .insert(row)
    .onConflict('user_id')
    .merge({ ...row, changed_at: tx.raw('now()') })
    .returning('*');
  if (!written) throw new Error('the policy was not stored');
  return written;
}

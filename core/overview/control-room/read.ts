// The control room in one answer.
import { type ControlRoomOut, PolicyChangeOut } from '#contract/overview/control-room.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { type SetPolicy, policyOfRow } from '../../policy/policy.ts';
import { listWaits } from '../../pauses/inbox/list.ts';
import { listDenials } from './denials.ts';
import { latestLines } from './latest.ts';
import { liveRuns } from './live.ts';
import { presentControlRoomPolicy } from './present.ts';
import { spendOf } from './spend.ts';

const MOST_WAITS = 20;
const MOST_RUNS = 50;
const MOST_CHANGES = 10;

export async function controlRoom(ctx: Ctx, i: { receipts: number; denials: number }): Promise<ControlRoomOut> {
  const { user_id } = requireUser(ctx, 'control_room.read');
  const { db } = ctx;
  const now = ctx.clock();
  // As it is, not as this process remembers it.
  const row = await db('control_room_policies').where({ user_id }).first();
  const set: SetPolicy | undefined = row && policyOfRow(row);
  const [waits, runs, spend, receipts, denials, changes, machinesPending] = await Promise.all([
    listWaits(ctx, { limit: MOST_WAITS }),
    liveRuns(db, user_id, MOST_RUNS),
    spendOf(db, user_id, set, now),
    latestLines(db, user_id, i.receipts),
    i.denials === 0 ? { items: [] } : listDenials(ctx, { limit: i.denials }),
    changesOf(ctx, user_id),
    machinesToTell(ctx, user_id),
  ]);
  return {
    at: new Date(now).toISOString(),
    policy: presentControlRoomPolicy(set, { changedAt: row?.changed_at ?? null, machinesPending }),
    waits: { items: waits.items, more: waits.next_cursor !== null },
    runs,
    spend,
    receipts,
    denials: denials.items,
    changes,
  };
}

async function changesOf({ db }: Ctx, userId: string): Promise<ControlRoomOut['changes']> {
  const rows = await db('audit_log')
    .where({ target_id: userId, action: 'control_room.policy' })
    .orderBy('at', 'desc')
    .limit(MOST_CHANGES)
    .select('at', 'actor_id', 'details');
  return rows.flatMap(({ at, actor_id, details }) => {
    const read = PolicyChangeOut.safeParse({ at: at.toISOString(), by: actor_id, version: numberIn(details), changed: changesIn(details) });
    // Of an account that was purged, nothing is left to be shown.
    return read.success ? [read.data] : [];
  });
}

// Safe: details are an object that setPolicy wrote, and the schema checks what comes of it.
const memberOf = (details: unknown, name: string): unknown => (details as Record<string, unknown> | null)?.[name];
const numberIn = (details: unknown): unknown => memberOf(details, 'version');
const changesIn = (details: unknown): unknown => memberOf(details, 'changes');

async function machinesToTell({ db }: Ctx, userId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { many: number }[] }>(
    `select count(*)::int as many from instances i join agents a using (agent_id) left join control_room_policies p on p.user_id = a.owner_id
     where a.owner_id = :userId and i.state <> 'stopped' and i.network_denied <> coalesce(p.deny_external_network, false)`,
    { userId },
  );
  return rows[0]?.many ?? 0;
}

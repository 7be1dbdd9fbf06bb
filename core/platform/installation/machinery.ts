// What an operator looks at when things are slow. A part that does not answer is null, and holds up nothing.
import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { MachineryOut } from '#contract/platform/machinery.ts';
import type { InstanceStatus } from '#drivers/runtime/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { measure } from '../housekeeping/measure.ts';

type Machinery = z.infer<typeof MachineryOut>;

/** worker/queues.ts makes them; those of single machines have their own names. */
export const QUEUES = ['control', 'long-work', 'deliveries', 'builds', 'runs'];
const PATIENCE_MS = 3_000;

export async function readMachinery(ctx: Ctx): Promise<Machinery> {
  requireOperator(ctx, 'machinery.read');
  const { workflows, runtime } = ctx.drivers;
  const [queues, machines, disk, measured, database_bytes] = await Promise.all([
    orNull(() => Promise.all(QUEUES.map((name) => workflows.queue(name)))),
    orNull(async () => byTier(await runtime.instances())),
    orNull(() => diskOf(ctx)),
    measure(ctx.db),
    databaseBytes(ctx),
  ]);
  const { outbox, waits, waits_overdue: overdue, jobs, job_queued_seconds } = measured;
  const open = Object.values(waits).reduce((sum, count) => sum + count, 0);
  return { queues, messages: outbox, waits: { open, overdue }, jobs, job_queued_seconds, machines, disk, database_bytes };
}

async function orNull<T>(ask: () => Promise<T>): Promise<T | null> {
  const answer = ask().catch(() => null);
  const late = new AbortController();
  const tooLate = delay(PATIENCE_MS, null, { signal: late.signal, ref: false }).catch(() => null);
  return Promise.race([answer, tooLate]).finally(() => late.abort());
}

function byTier(instances: readonly InstanceStatus[]): NonNullable<Machinery['machines']> {
  const tiers = Map.groupBy(instances, ({ tier }) => tier);
  return [...tiers].map(([tier, all]) => ({ tier, count: all.length, memory_bytes: all.reduce((sum, { memory_bytes: bytes }) => sum + bytes, 0) }));
}

async function diskOf(ctx: Ctx): Promise<Machinery['disk']> {
  const { bsize, blocks, bavail } = await statfs(await ctx.drivers.scratch());
  return { total_bytes: bsize * blocks, free_bytes: bsize * bavail };
}

async function databaseBytes({ db }: Ctx): Promise<number> {
  const { rows } = await db.raw<{ rows: { bytes: number }[] }>('select pg_database_size(current_database())::float8 as bytes');
  return rows[0]?.bytes ?? 0;
}

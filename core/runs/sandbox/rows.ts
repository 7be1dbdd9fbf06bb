// Sandboxes as they are recorded: each is an agent's, for one user (or one run, where no user of ours
// called).
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { SandboxOut } from '#contract/run/run-context.ts';
import type { SandboxesRow } from '#db/tables.ts';
import { SandboxError, type SandboxRuntime } from '#drivers/sandbox/port.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { Conflict, Invalid, NotFound, Unavailable } from '../../kernel/errors.ts';
import { requireRun } from '../../kernel/ensure-run.ts';

/** Running at a time, of one agent: for one user, or for one run without a user. */
export const MAX_SANDBOXES = 4;

export function sandboxScope(run: RunActor): string {
  return run.user_id ?? run.run_id;
}

/** @throws Unavailable sandbox_unavailable */
export function sandboxDriver(ctx: Ctx): SandboxRuntime {
  const { sandbox } = ctx.drivers;
  if (!sandbox) throw new Unavailable('sandbox_unavailable', 'There is no sandbox on this installation');
  return sandbox;
}

export async function ownSandbox(ctx: Ctx, name: string): Promise<SandboxesRow> {
  const run = requireRun(ctx);
  const row = await mine(ctx.db, run).where({ name }).first();
  if (!row) throw new NotFound('sandbox_not_found', `There is no sandbox ${name}: create it first`);
  return row;
}

export function mine(db: Knex, run: RunActor) {
  return db('sandboxes').where({ agent_id: run.agent_id, scope: sandboxScope(run) });
}

export function presentSandbox(row: SandboxesRow): z.infer<typeof SandboxOut> {
  return { name: row.name, image: row.image, state: row.state === 'running' ? 'running' : 'stopped', labels: labelsOf(row) };
}

// Safe: the column has one writer, create.ts, which writes texts by name.
function labelsOf(row: SandboxesRow): Record<string, string> {
  return row.labels as Record<string, string>;
}

/** The row as its machine is now: idle ones end automatically. */
export async function refreshed(ctx: Ctx, row: SandboxesRow): Promise<SandboxesRow> {
  const status = await driven(() => sandboxDriver(ctx).get(row.sandbox_id));
  const state = status?.state ?? 'stopped';
  if (state !== row.state) await ctx.db('sandboxes').where({ sandbox_id: row.sandbox_id }).update({ state });
  return { ...row, state };
}

/** A driver's refusals in the API's own words. */
export async function driven<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SandboxError ? translated(error) : error;
  }
}

function translated({ code, message }: SandboxError): Error {
  switch (code) {
    case 'image_unknown':
      return new NotFound('image_unknown', message);
    case 'not_found':
      return new Conflict('sandbox_stopped', 'The sandbox has ended: remove it and create another');
    case 'stopped':
    case 'image_failed':
      return new Conflict(code === 'stopped' ? 'sandbox_stopped' : 'image_failed', message);
    case 'bad_request':
      return new Invalid([{ path: ['body'], message }]);
    case 'no_capacity':
      return new Unavailable('sandbox_no_capacity', message, { retry_after_seconds: 5 });
    case 'host_unreachable':
    case 'internal':
      return new Unavailable('sandbox_unavailable', 'The sandbox could not be reached: try again in a moment', { retry_after_seconds: 2 });
  }
}

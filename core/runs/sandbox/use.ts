// What a run does with its sandboxes.
import type { z } from 'zod';
import type { ExecResultOut, SandboxOut } from '#contract/run/run-context.ts';
import { SVC } from '#contract/wire/trace-conventions.ts';
import type { SandboxesRow } from '#db/tables.ts';
import type { SandboxExec } from '#drivers/sandbox/port.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { system } from '../../kernel/act.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import { makeSandbox } from './create.ts';
import { asTool } from './tool-span.ts';
import { mountedGrant, stageChanges } from './mount.ts';
import { driven, mine, ownSandbox, presentSandbox, refreshed, sandboxDriver } from './rows.ts';

type Shown = z.infer<typeof SandboxOut>;
type Result = z.infer<typeof ExecResultOut>;

/** A longer script does not fit into one argument of a program; then it is read from standard input. */
const maxArgumentBytes = 100_000;

export async function listSandboxes(ctx: Ctx): Promise<Shown[]> {
  sandboxDriver(ctx);
  const rows = await mine(ctx.db, requireRun(ctx)).orderBy('name');
  return Promise.all(rows.map(async (row) => presentSandbox(await refreshed(ctx, row))));
}

export async function getSandbox(ctx: Ctx, i: { name: string }): Promise<Shown> {
  return presentSandbox(await refreshed(ctx, await ownSandbox(ctx, i.name)));
}

/** Ends it and removes its row; does nothing where there is none. */
export async function removeSandbox(ctx: Ctx, i: { name: string }): Promise<void> {
  const driver = sandboxDriver(ctx);
  const row = await mine(ctx.db, requireRun(ctx)).where({ name: i.name }).first();
  if (row) await forget(ctx, driver.remove.bind(driver), row);
}

async function forget(ctx: Ctx, remove: (id: string) => Promise<void>, row: SandboxesRow): Promise<void> {
  await driven(() => remove(row.sandbox_id));
  // Its callers looked for the run's own, or made it.
  await system(ctx, async (ctx) => {
    await ctx.db('sandboxes').where({ sandbox_id: row.sandbox_id }).delete();
    await audit(ctx, 'sandbox.remove', { sandbox: row.sandbox_id });
  });
}

export async function endSandbox(ctx: Ctx, i: { name: string; how: 'stop' | 'kill' }): Promise<Shown> {
  const row = await ownSandbox(ctx, i.name);
  await driven(() => sandboxDriver(ctx)[i.how](row.sandbox_id));
  await ctx.db('sandboxes').where({ sandbox_id: row.sandbox_id }).update({ state: 'stopped' });
  return presentSandbox({ ...row, state: 'stopped' });
}

export async function sandboxLogs(ctx: Ctx, i: { name: string; tail: number }): Promise<{ text: string }> {
  const row = await ownSandbox(ctx, i.name);
  return { text: await driven(() => sandboxDriver(ctx).logs(row.sandbox_id, i.tail)) };
}

export interface ExecIn {
  name: string;
  command: string;
  args: readonly string[];
  timeout_seconds: number;
  signal: AbortSignal;
}

export async function execInSandbox(ctx: Ctx, i: ExecIn): Promise<Result> {
  const row = await ownSandbox(ctx, i.name);
  return exec(ctx, row, { command: i.command, args: i.args, timeout_ms: Math.ceil(i.timeout_seconds * 1000) }, i.signal);
}

export async function shellInSandbox(ctx: Ctx, i: { name: string; script: string; timeout_seconds: number; signal: AbortSignal }): Promise<Result> {
  const row = await ownSandbox(ctx, i.name);
  return exec(ctx, row, program('shell', i.script, i.timeout_seconds), i.signal);
}

export interface RunOnceIn {
  language: 'python' | 'shell';
  code: string;
  image: string;
  timeout_seconds: number;
  signal: AbortSignal;
}

/** Create, run, tear down. */
export async function runOnce(ctx: Ctx, i: RunOnceIn): Promise<Result> {
  const driver = sandboxDriver(ctx);
  const name = newId('sbx', ctx.clock()).replace('_', '-');
  const row = await makeSandbox(ctx, { name, image: i.image, memory_mib: 512, cpus: 1, workspace: null, secrets: {}, egress: [], labels: {} });
  try {
    return await exec(ctx, row, program(i.language, i.code, i.timeout_seconds), i.signal);
  } finally {
    await forget(ctx, driver.remove.bind(driver), row).catch(() => undefined);
  }
}

function program(language: 'python' | 'shell', code: string, timeoutSeconds: number): SandboxExec {
  const command = language === 'python' ? 'python3' : '/bin/sh';
  const timeout_ms = Math.ceil(timeoutSeconds * 1000);
  if (Buffer.byteLength(code) <= maxArgumentBytes) return { command, args: ['-c', code], timeout_ms };
  return { command, args: language === 'python' ? ['-'] : ['-s'], stdin: Buffer.from(code), timeout_ms };
}

async function exec(ctx: Ctx, row: SandboxesRow, what: SandboxExec, signal: AbortSignal): Promise<Result> {
  // Checked before anything runs: the grant of the workspace may have ended.
  const mount = row.grant_id === null ? undefined : await mountedGrant(ctx, row.grant_id);
  await ctx
    .db('sandboxes')
    .where({ sandbox_id: row.sandbox_id })
    .update({ used_at: new Date(ctx.clock()).toISOString() });
  const about = (done: Pick<Result, 'exit_code'> | undefined) => ({ [SVC.sandbox]: row.name, ...(done && { [SVC.exitCode]: done.exit_code }) });
  const { stdout, stderr, exit_code, truncated, timed_out } = await asTool(ctx, 'sandbox', about, () =>
    driven(() => sandboxDriver(ctx).exec(row.sandbox_id, what, signal)),
  );
  if (mount) await stageChanges(ctx, row.sandbox_id, mount);
  return { stdout, stderr, exit_code, truncated, timed_out };
}

import type { z } from 'zod';
import type { SandboxIn, SandboxOut } from '#contract/run/run-context.ts';
import type { EgressPolicy } from '#contract/wire/card.ts';
import type { SandboxesRow } from '#db/tables.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Forbidden } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { storableJson } from '../../kernel/storable.ts';
import { setting } from '../../kernel/settings.ts';
import { system } from '../../kernel/act.ts';
import { accountsOf } from '../../policy/accounts.ts';
import { recordingDenials, requirePolicy } from '../../policy/deny.ts';
import { verifyGrant } from '../../workspace/grant/verify.ts';
import { ensureRun, requireRun } from '../../kernel/ensure-run.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { cardOfRun } from '../../pauses/scope/card.ts';
import { contents, mountable } from './mount.ts';
import { driven, MAX_SANDBOXES, presentSandbox, sandboxDriver, sandboxScope } from './rows.ts';

export const IDLE_MS = 600_000;

export type Create = z.output<typeof SandboxIn>;

export async function createSandbox(ctx: Ctx, i: Create): Promise<z.infer<typeof SandboxOut>> {
  return presentSandbox(await makeSandbox(ctx, i));
}

/** The row is made first: nothing would remove a machine without one. */
export async function makeSandbox(ctx: Ctx, i: Create): Promise<SandboxesRow> {
  const driver = sandboxDriver(ctx);
  const run = requireRun(ctx);
  const card = await cardOfRun(ctx, run);
  checkEgress(i.egress, card.runtime.egress);
  await recordingDenials(ctx, () => requireNetwork(ctx, i.egress));
  const workspaceGrant = i.workspace === null ? undefined : await verifyGrant(ctx, i.workspace);
  const paths = i.workspace === null ? [] : await mountable(ctx, i.workspace, card.workspace_access);
  const row = await reserve(ctx, i, workspaceGrant?.grant.grant_id ?? null);
  try {
    await driven(() =>
      driver.create({
        sandbox_id: row.sandbox_id,
        image: i.image,
        memory_mib: i.memory_mib,
        cpus: i.cpus,
        egress: i.egress,
        env: i.secrets,
        idle_ms: IDLE_MS,
        ...(i.workspace === null ? {} : { files: contents(ctx, i.workspace, paths) }),
      }),
    );
  } catch (error) {
    await driver.remove(row.sandbox_id).catch(() => undefined);
    await ctx.db('sandboxes').where({ sandbox_id: row.sandbox_id }).delete();
    throw error;
  }
  return row;
}

/** @throws Conflict sandbox_exists, too_many_sandboxes */
async function reserve(ctx: Ctx, i: Create, grantId: string | null): Promise<SandboxesRow> {
  return system(ctx, async (ctx) => {
    const run = await ensureRun(ctx);
    const scope = sandboxScope(run);
    // One after the other for each author, so that the count is one.
    await lockName(ctx.db, `sandboxes of ${run.owner_id}`);
    const running = await ctx
      .db('sandboxes as s')
      .join('agents as a', 'a.agent_id', 's.agent_id')
      .where({ 'a.owner_id': run.owner_id, 's.state': 'running' })
      // Idle ones end automatically; their rows are brought up to date later.
      .where('s.used_at', '>', new Date(ctx.clock() - 2 * IDLE_MS).toISOString())
      .select('s.agent_id', 's.scope');
    const live = running.filter((row) => row.agent_id === run.agent_id && row.scope === scope);
    const most = await setting(ctx.db, 'sandboxes_per_author');
    if (running.length >= most)
      throw new Conflict('too_many_sandboxes', `${most} sandboxes of one author's agents may run at a time: stop or remove one first`);
    if (live.length >= MAX_SANDBOXES) throw new Conflict('too_many_sandboxes', `${MAX_SANDBOXES} sandboxes may run at a time: stop or remove one first`);
    const sandbox_id = newId('sbx', ctx.clock());
    const [row] = await ctx
      .db('sandboxes')
      .insert({
        sandbox_id,
        agent_id: run.agent_id,
        scope,
        name: i.name,
        run_id: run.run_id,
        node: 'local',
        image: i.image,
        grant_id: grantId,
        labels: storableJson(i.labels),
        state: 'running',
      })
      .onConflict(['agent_id', 'scope', 'name'])
      .ignore()
      .returning('*');
    if (!row) throw new Conflict('sandbox_exists', `There is a sandbox ${i.name} already: use it, or remove it first`);
    await audit(ctx, 'sandbox.create', { sandbox: sandbox_id }, { run_id: run.run_id, image: i.image, grant_id: grantId, egress: i.egress });
    return row;
  });
}

/** A sandbox reaches no further than its agent. @throws Forbidden egress_not_allowed */
export function checkEgress(wanted: readonly string[], policy: EgressPolicy): void {
  if (!policy.deny_internet_by_default) return;
  const beyond = wanted.find((host) => !policy.allow_hosts.some((allowed) => covers(allowed.toLowerCase(), host.toLowerCase())));
  if (beyond !== undefined) throw new Forbidden('egress_not_allowed', `The agent itself may not reach ${beyond}: declare it in its egress policy`);
}

/** @throws Forbidden policy_denied */
async function requireNetwork(ctx: Ctx, hosts: readonly string[]): Promise<void> {
  const accounts = hosts.length === 0 ? [] : await accountsOf(ctx.db, ctx.actor);
  for (const host of hosts) await requirePolicy(ctx, { action: 'egress', accounts, resource: { type: 'Host', host }, leaves: true });
}

function covers(allowed: string, host: string): boolean {
  return allowed === host || (allowed.startsWith('*.') && host.replace(/^\*/, '').endsWith(allowed.slice(1)));
}

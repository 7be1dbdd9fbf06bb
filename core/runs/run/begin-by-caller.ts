// A user, or a running skill, starts a durable run through the API.
import type { z } from 'zod';
import type { RunOut } from '../../../contract/agents/runs.ts';
import type { Ctx } from '../../ctx.ts';
import { Forbidden, NotFound } from '../../errors.ts';
import { inTx } from '../../tx.ts';
import { verifyGrant } from '../../workspace/grant/verify.ts';
import { ensureRun } from './ensure.ts';
import { jobOfRun } from './model.ts';
import { presentRun } from './read.ts';
import { startRun, type StartRunIn } from './start.ts';

export interface StartIn {
  name: string;
  skill_name: string;
  args: Record<string, unknown>;
  key: string | undefined;
  /** A grant token the caller passes on. */
  grant: string | undefined;
}

/** @throws Forbidden no_user, and as startRun does */
export async function startCallersRun(ctx: Ctx, i: StartIn): Promise<z.infer<typeof RunOut>> {
  const grantId = i.grant === undefined ? undefined : await grantOf(ctx, i.grant, i.name);
  const { run_id } = await inTx(ctx, async (tx, inner) => {
    if (inner.actor.kind === 'run') await ensureRun(tx, inner);
    return startRun(tx, inner, {
      ...callerOf(ctx, i.key),
      agent: i.name,
      skill: i.skill_name,
      args: i.args,
      ...(grantId === undefined ? {} : { grantId }),
    });
  });
  const row = await ctx.db('runs').where({ run_id }).first();
  if (!row) throw new NotFound('run_not_found', 'The run is not there any more');
  return presentRun(ctx, row, await jobOfRun(ctx.db, run_id));
}

/** Whoever passes a grant on need not be its addressee. */
async function grantOf(ctx: Ctx, token: string, audience: string): Promise<string> {
  const { grant } = await verifyGrant({ ...ctx, actor: { kind: 'platform', service: 'calls' } }, token, { audience });
  return grant.grant_id;
}

/** A key is its sender's: a run's cannot meet its user's, nor that of anything the platform starts itself. */
function callerOf({ actor }: Ctx, key: string | undefined): Pick<StartRunIn, 'userId' | 'parent' | 'idempotencyKey'> {
  if (actor.kind === 'user') return { userId: actor.user_id, ...(key === undefined ? {} : { idempotencyKey: `api:${key}` }) };
  if (actor.kind !== 'run') throw new Forbidden('user_required', 'This needs a signed-in user, or a running skill');
  if (actor.user_id === null) throw new Forbidden('no_user', 'No user of the platform called this run: there is nobody a run of its own could belong to');
  return { userId: actor.user_id, parent: actor, ...(key === undefined ? {} : { idempotencyKey: `run:${actor.run_id}:${key}` }) };
}

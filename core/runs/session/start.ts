// A session: a durable run whose log will be signed.
import type { z } from 'zod';
import type { SessionIn, SessionOut } from '#contract/runs/agent-sessions.ts';
import type { SessionHeader } from '#contract/wire/session.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { ensureReceiptKey } from '../../evidence/receipt/keys.ts';
import { newId } from '../../kernel/ids.ts';
import { startRun } from '../durable/start.ts';
import { sessionFor } from './find.ts';
import { presentSession } from './present.ts';

/** @throws as startRun does */
export async function startSession(ctx: Ctx, i: { name: string } & z.output<typeof SessionIn>): Promise<z.infer<typeof SessionOut>> {
  return act(ctx, 'session.start', requireUser, async (ctx, user) => {
    const { run_id, job_id } = await startRun(ctx, {
      userId: user.user_id,
      agent: i.name,
      skill: i.skill,
      args: i.args,
      argsAt: ['body', 'args'],
      ...(i.idempotency_key === undefined ? {} : { idempotencyKey: `session/${i.idempotency_key}` }),
    });
    const known = await ctx.db('agent_sessions').where({ run_id }).first('session_id');
    if (known) return unchanged(presentSession(await sessionFor(ctx.db, user, 'session.start', known.session_id)));
    const run = await ctx.db('runs as r').join('deployments as d', 'd.deploy_id', 'r.deploy_id').where({ 'r.run_id': run_id }).first('r.*', 'd.version');
    if (!run) throw new Error('the run was not stored');
    const session_id = newId('ags', ctx.clock());
    const header: SessionHeader = {
      type: 'svc.session.v1',
      session_id,
      agent: run.agent_name,
      version: run.version ?? 'unknown',
      skill: run.skill,
      run_id,
      input_sha256: run.input_sha256 ?? '',
      started_at: run.started_at.toISOString(),
      kid: (await ensureReceiptKey(ctx, ctx.clock())).kid,
    };
    await ctx.db('agent_sessions').insert({
      session_id,
      user_id: user.user_id,
      agent_id: run.agent_id,
      run_id,
      job_id,
      header: JSON.stringify(header),
      started_at: header.started_at,
    });
    const shown = presentSession(await sessionFor(ctx.db, user, 'session.start', session_id));
    return done({ session: session_id }, { agent: run.agent_name, skill: run.skill, run_id }, shown);
  });
}

// Runs of the studio, one under way and two that have ended; proposals of the autopilot; guest runs.
import { GuestBrief, StudioBrief } from '#contract/studio/studio-brief.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { createGuestRun } from '#core/studio/studio-run/guest.ts';
import { endStudioRun } from '#core/studio/studio-run/end.ts';
import { startStudioRun } from '#core/studio/studio-run/start.ts';
import { move, type StudioStepEvent } from '#core/studio/studio-run/step.ts';
import type { StudioState } from '#contract/states.ts';
import type { AreaRecords, Owner } from './area.ts';
import { runRow } from './run-row.ts';

const goal = 'Alert me when the website of the harbour is down';
const inputs = { url: 'https://harbour.example/' };
const COMMIT = '5f0c2f6e0d6f4b7c9a1b2c3d4e5f60718293a4b5';

export async function agentStudioRecords(owner: Owner): Promise<AreaRecords> {
  const { ctx } = owner;
  const live = await liveRun(owner);
  const failed = await failedRun(ctx);
  const open = await startStudioRun(ctx, { brief: StudioBrief.parse({ name: 'tide-watch', goal, inputs }) });
  const [guest, claimed] = await Promise.all(['ferry-watch', 'pier-watch'].map((name) => createGuestRun(ctx, GuestBrief.parse({ name, goal, inputs }))));
  const [shown, decided] = [await proposal(owner, 'failures'), await proposal(owner, 'latency')];
  return {
    params: {
      'agentStudio.get.run_id': live,
      'agentStudio.stream.run_id': failed,
      'agentStudio.open.run_id': open.run_id,
      'agentStudio.getGuest.token': guest?.token ?? '',
      'agentStudio.getPublicGuest.token': guest?.token ?? '',
      'agentStudio.proposal.proposal_id': shown,
      'agentStudio.decide.proposal_id': decided,
    },
    calls: {
      'agentStudio.resolve': { body: { name: 'quay-watch', goal, inputs } },
      'agentStudio.start': { body: { brief: { name: 'quay-watch', goal, inputs } } },
      'agentStudio.ideas': { body: { theme: 'small harbours' } },
      'agentStudio.createGuest': { body: { name: 'buoy-watch', goal, inputs } },
      'agentStudio.createPublicGuest': { body: { name: 'pilot-watch', goal, inputs } },
      'agentStudio.claim': { body: { token: claimed?.token ?? '' } },
      'agentStudio.setAutopilot': { body: { enabled: true, daily_hour: 7, time_zone: 'Europe/Berlin' } },
      'agentStudio.decide': { body: { decision: 'reject', reason: 'It is slow on purpose' } },
    },
  };
}

async function liveRun(owner: Owner): Promise<string> {
  const { ctx } = owner;
  const { run_id, job_id } = await startStudioRun(ctx, {
    brief: StudioBrief.parse({ name: 'harbour-watch', goal, inputs: { ...inputs, webhook_host: 'hooks.example' }, integrations: ['ALERT_WEBHOOK_URL'] }),
  });
  await written(ctx, run_id, { checks: 'passed', message: null });
  for (const [to, step] of STEPS) await moved(ctx, run_id, to, step);
  const row = runRow(owner);
  await ctx.db('runs').insert({ ...row, state: 'succeeded', ended_at: new Date() });
  await ctx.db('studio_calls').insert({ run_id, number: 1, iteration: 0, skill: 'check_now', child_run_id: row.run_id, good: true });
  await ctx
    .db('studio_runs')
    .where({ run_id })
    .update({ deploy_id: owner.deployId, next: '["svc secrets set harbour-watch ALERT_WEBHOOK_URL sets where alerts go"]' });
  await endStudioRun(ctx, job_id ?? '');
  return run_id;
}

const STEPS: [StudioState, StudioStepEvent][] = [
  ['building', { actor: 'coordinator', status: 'began', message: 'The source is written' }],
  ['evaluating', { actor: 'builder', status: 'done', message: 'The recipe monitor_alert wrote 9 files' }],
  ['reviewing', { actor: 'reviewer', status: 'done', message: 'Its build, its types and its tests passed' }],
  ['deploying', { actor: 'reviewer', status: 'done', message: 'Nothing was found in the source' }],
];

async function failedRun(ctx: Ctx): Promise<string> {
  const { run_id, job_id } = await startStudioRun(ctx, { brief: StudioBrief.parse({ name: 'gate-watch', goal, inputs }) });
  await written(ctx, run_id, { checks: 'failed', message: 'agent.test.ts: 1 test failed\nExpected "up", and it was "down"' });
  await moved(ctx, run_id, 'evaluating', { actor: 'builder', status: 'refused', message: 'Its tests failed' });
  await endStudioRun(ctx, job_id ?? '', { code: 'studio_checks_failed', message: 'Its own tests failed' });
  return run_id;
}

async function written(ctx: Ctx, run_id: string, is: { checks: 'passed' | 'failed'; message: string | null }): Promise<void> {
  const finding = { severity: 'warning', rule: 'egress', path: 'svc.yaml', title: 'It may reach harbour.example' };
  await ctx
    .db('studio_iterations')
    .insert({ run_id, number: 0, commit: COMMIT, written_by: 'recipe', ...is, findings: JSON.stringify([finding]), created_at: new Date() });
}

async function moved(ctx: Ctx, run_id: string, to: StudioState, step: StudioStepEvent): Promise<void> {
  const run = await ctx.db('studio_runs').where({ run_id }).first();
  if (!run) throw new Error('a run was not written');
  await move(ctx.db, run, to, step);
}

async function proposal({ ctx, userId, agent }: Owner, category: 'failures' | 'latency'): Promise<string> {
  const proposal_id = newId('prp');
  const now = Date.now();
  await ctx.db('studio_proposals').insert({
    proposal_id,
    owner_id: userId,
    agent_id: agent.id,
    agent_name: agent.name,
    state: 'open',
    severity: 'warning',
    category,
    title: category === 'failures' ? 'greet fails more often than before' : 'greet is slower than before',
    idea: 'Look at what its last version changed, and mend it',
    rationale: '12 of 40 calls in the last week, 1 of 52 in the week before',
    evidence: JSON.stringify([{ kind: 'figure', id: null, text: '30 % of the calls of greet' }]),
    fingerprint: `${category}:greet`,
    created_at: new Date(now),
    expires_at: new Date(now + 7 * 86_400_000),
  });
  return proposal_id;
}

// The studio in a terminal: a plan and the command that goes on, a run to its end, guest runs, the daily
// look.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { expect, onTestFinished, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { agentStudio, studioGuests, studioRuns } from '#contract/studio/agent-studio.ts';
import type { AutopilotOut, ProposalOut } from '#contract/studio/autopilot.ts';
import type { StudioPlanOut, StudioRunOut } from '#contract/studio/studio-brief.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { shellWords } from '../../studio/shell-words.ts';
import { writeFiles } from '../../studio/write-files.ts';
import { signedIn, toolAt } from '../../test/signed-in.ts';

const at = '2026-12-04T08:00:00.000Z';
const runId = 'std_00000000-0000-7000-8000-000000000001';
const proposalId = 'prp_00000000-0000-7000-8000-000000000001';
const token = `sgr_${'a'.repeat(43)}`;
const goal = 'Alert me when the harbour page is down';

const candidate = { decision: 'build_new' as const, agents: [], skills: [], own: true, fit: 0.6, inputs_fit: 0, trust: 0, price_micros: 0, reason: 'the recipe "Monitor and alert" fits it' }; // prettier-ignore
const plan: z.input<typeof StudioPlanOut> = {
  plan_id: 'spl_1',
  brief_sha256: '0'.repeat(64),
  decision: 'build_new',
  reason: candidate.reason,
  candidates: [candidate],
  recipes: [{ recipe: 'monitor_alert', title: 'Monitor and alert', fit: 0.6, missing: ['url'], inputs: {} }],
  model: null,
  created_at: at,
  expires_at: at,
};
const begun: z.input<typeof StudioRunOut> = {
  run_id: runId,
  job_id: 'job_1',
  plan_id: 'spl_1',
  name: 'harbour-watch',
  goal,
  state: 'queued',
  decision: 'build_new',
  agents: [],
  recipe: 'monitor_alert',
  model: null,
  review: 'standard',
  iterations: [],
  deploy_id: null,
  url: null,
  trials: [],
  challenge_job_id: null,
  calls: { made: 0, most: 12 },
  spent_micros: 0,
  budget_micros: 5_000_000,
  next: [],
  error: null,
  created_at: at,
  deadline_at: at,
  ended_at: null,
};
const iteration = { number: 0, commit: 'c0ffee00c0ffee00', written_by: 'recipe' as const, checks: 'failed' as const, message: 'one test failed', findings: [{ severity: 'warning', rule: 'egress', path: 'svc.yaml', title: 'It may reach x' }], created_at: at }; // prettier-ignore
const live: typeof begun = {
  ...begun,
  state: 'live',
  deploy_id: 'dep_1',
  url: 'http://harbour-watch.localhost',
  iterations: [iteration],
  next: ['Set the secret X'],
  ended_at: at,
};
const failed: typeof begun = { ...begun, state: 'failed', error: { code: 'studio_checks_failed', message: 'Its tests failed' }, ended_at: at };
const proposal: z.input<typeof ProposalOut> = { proposal_id: proposalId, agent: 'reader', state: 'open', severity: 'warning', category: 'failures', title: 'It fails more often', idea: 'Look at its last version', rationale: '12 of 40', evidence: [{ kind: 'figure', id: null, text: '30 %' }], source_head_sha: null, run_id: null, reason: null, created_at: at, expires_at: at, decided_at: null }; // prettier-ignore
const guest = { brief: { name: 'harbour-watch', goal, inputs: {}, integrations: [], frontend: false }, recipe: 'monitor_alert' as const, files: [{ path: 'src/agent.ts', content: 'x' }], claimed: false, created_at: at, expires_at: at }; // prettier-ignore

/** How runs end here, and what was asked. */
const script = { end: live, autopilot: { enabled: false, daily_hour: 9, time_zone: 'UTC', last_day: null, open_proposals: 0 } as z.input<typeof AutopilotOut> };
const seen: Record<string, unknown> = {};

const steps = [
  { seq: 1, kind: 'studio.step', payload: { phase: 'building', actor: 'builder', status: 'done', message: 'Nine files' } },
  { seq: 2, kind: 'studio.step', payload: { phase: 'evaluating', actor: 'builder', status: 'refused', message: 'A test failed' } },
];

const api = await serveForTest(
  { agentStudio: { ...agentStudio, ...studioGuests, ...studioRuns } },
  {
    agentStudio: {
      resolve: (_ctx, { body }) => ({ ...plan, recipes: 'url' in body.inputs ? plan.recipes.map((one) => ({ ...one, missing: [] })) : plan.recipes }),
      start(_ctx, { body }) {
        seen.start = body;
        return begun;
      },
      get: () => script.end,
      async *stream() {
        for (const step of steps) yield { id: String(step.seq), event: step.kind, data: { job_id: 'job_1', at, ...step } };
      },
      ideas(_ctx, { body }) {
        seen.ideas = body;
        const idea = { rank: 1, name: 'tide-watch', title: 'Tide watch', goal, audience: 'harbours', recipe: 'monitor_alert' as const, score: 81.5, parts: { demand: 1, fit: 1, feasibility: 1, gap: 1, cost: 1 }, reason: 'r', missing: [] }; // prettier-ignore
        return {
          theme: body.theme,
          weights: { demand: 30, fit: 25, feasibility: 20, gap: 15, cost: 10 },
          items: [idea],
          runs: body.build_top_three ? [begun] : [],
        };
      },
      createGuest: () => ({ ...guest, token }),
      getGuest: () => guest,
      claim(_ctx, { body }) {
        seen.claim = body;
        return begun;
      },
      autopilot: () => script.autopilot,
      setAutopilot: (_ctx, { body }) => (script.autopilot = { ...script.autopilot, ...body }),
      lookNow: () => ({ looked_at: 2, created: [proposal], expired: 1 }),
      proposals: () => ({ items: [proposal], next_cursor: null }),
      proposal: () => proposal,
      decide(_ctx, { body }) {
        seen.decide = body;
        return {
          ...proposal,
          state: body.decision === 'accept' ? ('accepted' as const) : ('rejected' as const),
          run_id: body.carry_out ? runId : null,
          decided_at: at,
        };
      },
      createPublicGuest(_ctx, { body }) {
        seen.guest = body;
        return { ...guest, token };
      },
      getPublicGuest: () => guest,
      list: () => ({ items: [live], next_cursor: null }),
    },
  },
);
const { tool } = await toolAt(api);
const run = (...argv: string[]) => tool.run(argv, signedIn);

test('a plan says what is missing, and then the command that goes on with it', async () => {
  const lacking = await run('studio', 'resolve', 'harbour-watch', goal);
  expect(lacking.out).toMatch(/Build a new agent: the recipe "Monitor and alert" fits it[\s\S]*monitor_alert +Monitor and alert +60 % +url/);
  expect(lacking.err).toContain('--input url=…');
  const { err } = await run('studio', 'resolve', 'harbour-watch', goal, '--input', 'url=https://harbour.example/', '--review', 'strict');
  expect(err).toContain(`svc studio create harbour-watch '${goal}' --input url=https://harbour.example/ --review strict --plan spl_1 --wait`);
});

test('a run is followed to its end: its steps, its address, what is left; one that failed ends with 1', async () => {
  const { code, out, err } = await run(
    'studio',
    'make',
    'harbour-watch',
    goal,
    '--input',
    'hours=7',
    '--model',
    'default',
    '--budget',
    '300',
    '--plan',
    'spl_1',
    '--wait',
  );
  expect(code).toBe(EXIT.ok);
  expect(err).toMatch(/building +builder: Nine files\nevaluating builder: A test failed/);
  expect(out).toBe('http://harbour-watch.localhost\n\nLeft for you:\n  Set the secret X\n');
  expect(seen.start).toMatchObject({ plan_id: 'spl_1', brief: { inputs: { hours: 7 }, model: {}, budget_cents: 300, account_trial_calls: true } });
  script.end = failed;
  const bad = await run('studio', 'make', 'harbour-watch', goal, '--no-samples', '--decision', 'fork', '--agent', 'reader', '--wait');
  expect(bad).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('failed: Its tests failed') });
  expect(seen.start).toMatchObject({ decision: 'fork', agents: ['reader'], brief: { account_trial_calls: false } });
  script.end = live;
});

test('runs are listed, and one is shown with what was written', async () => {
  expect((await run('studio')).out).toMatch(/harbour-watch +live +build_new/);
  const { out } = await run('studio', 'show', runId);
  expect(out).toContain('Iteration 0: c0ffee00c0ff by recipe, checks failed\n  one test failed\n  warning: It may reach x (egress, svc.yaml)');
  expect(out).toContain('Spent $0.00 of $5.00, no language model; 0 of 12 calls');
});

test('ideas are shown, and the best three are made within the budget', async () => {
  const { out, err } = await run('studio', 'ideas', 'small harbours', '--build', '--budget', '600');
  expect(out).toMatch(/1 +81\.5 +tide-watch +monitor_alert +nothing +Tide watch/);
  expect(err).toContain(`svc studio get ${runId}`);
  expect(seen.ideas).toMatchObject({ theme: 'small harbours', build_top_three: true, total_budget_cents: 600 });
});

test('a guest needs no sign-in, has the files in a folder, and claims them later', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-guest-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const out = join(folder, 'made');
  const made = await tool.run(['studio', 'guest', 'harbour-watch', goal, '--out', out]);
  expect(made).toMatchObject({ code: EXIT.ok, out: `${token}\n`, err: expect.stringContaining(`svc studio claim ${token}`) });
  expect(await readFile(join(out, 'src/agent.ts'), 'utf8')).toBe('x');
  await expect(writeFiles(out, guest.files)).rejects.toThrow('is not empty');
  await expect(writeFiles(join(folder, 'other'), [{ path: 'a/../../x', content: '' }])).rejects.toThrow('does not belong into a folder');
  expect((await run('studio', 'claim', token, '--name', 'quay-watch')).out).toBe(`${runId}\n`);
  expect(seen.claim).toEqual({ token, name: 'quay-watch' });
});

test('the daily look is switched on and off without losing its hour', async () => {
  expect((await run('autopilot')).out).toContain('Off: switch it on with svc autopilot enable');
  expect((await run('autopilot', 'on', '--hour', '7', '--zone', 'Europe/Berlin')).out).toContain('On: each day from 07:00 Europe/Berlin');
  await run('autopilot', 'off');
  expect(script.autopilot).toMatchObject({ enabled: false, daily_hour: 7, time_zone: 'Europe/Berlin' });
  expect((await run('autopilot', 'look')).out).toContain('2 agents, 1 new proposals, 1 expired');
});

test('a proposal is read with its evidence, then accepted, carried out or rejected', async () => {
  expect((await run('autopilot', 'proposals', '--state', 'all')).out).toMatch(/reader +open +warning +failures +It fails more often/);
  expect((await run('autopilot', 'show', proposalId)).out).toContain('Why: 12 of 40\n  figure: 30 %');
  await run('autopilot', 'accept', proposalId);
  expect(seen.decide).toEqual({ decision: 'accept', reason: '' });
  expect((await run('autopilot', 'accept', proposalId, '--carry-out', '--budget', '300')).err).toContain(`svc studio get ${runId}`);
  expect(seen.decide).toMatchObject({ carry_out: { budget_cents: 300, review: 'standard', model: {} } });
  expect((await run('autopilot', 'accept', proposalId, '--model', 'x')).code).toBe(EXIT.usage);
  await run('autopilot', 'reject', proposalId, '--reason', 'On purpose');
  expect(seen.decide).toEqual({ decision: 'reject', reason: 'On purpose' });
});

test('words are quoted as a shell reads them', () => {
  expect(shellWords(['a-b', "it's", 'two words', 'k=v', ''])).toBe(String.raw`a-b 'it'\''s' 'two words' k=v ''`);
});

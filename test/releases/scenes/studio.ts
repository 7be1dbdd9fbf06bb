// The studio: agents made of briefs, challenges, rehearsals, simulations, rooms, teams, the brain.
import { eventually, jobEnded, type Play } from '../play.ts';

const params = { name: 'harbour' };
const ECHO = { agent: 'harbour', skill: 'echo' };

export async function studio(play: Play): Promise<void> {
  await made(play);
  await autopilot(play);
  await challenged(play);
  await rehearsed(play);
  await simulated(play);
  await room(play);
  await team(play);
  await brain(play);
  await scorecards(play);
}

async function made(play: Play): Promise<void> {
  const { agentStudio } = play.people.ada.api;
  const brief = {
    name: 'guests',
    goal: 'Collect the names of guests with a form and keep each as a record',
    recipe: 'form_to_record' as const,
    inputs: { title: 'Guests', fields: [{ name: 'guest', label: 'Guest' }] },
    review: 'light' as const,
  };
  await agentStudio.resolve({ body: brief });
  const { job_id } = await agentStudio.start({ body: { brief: { ...brief, account_trial_calls: true }, decision: 'build_new' } });
  const state = await jobEnded(play, job_id ?? '');
  if (state !== 'succeeded') play.say(`the studio's run ${state}`);
  await agentStudio.createGuest({ body: { name: 'buoys', goal: brief.goal, recipe: brief.recipe, inputs: brief.inputs } });
}

/** The autopilot looks at an agent that fails. */
async function autopilot(play: Play): Promise<void> {
  const { agents, agentStudio } = play.people.ada.api;
  await agentStudio.setAutopilot({ body: { enabled: true, daily_hour: 7, time_zone: 'Europe/Berlin' } });
  const text = 'aground '.repeat(40);
  for (let n = 0; n < 25; n += 1) await (await failing(() => agents.invoke({ params: { name: 'harbour', skill_name: 'fragile' }, body: { text } })))?.text();
  const look = async () => {
    await agentStudio.lookNow();
    return (await agentStudio.proposals({ query: {} })).items[0];
  };
  await eventually('a proposal', look, { everyMs: 5_000, forMs: 120_000 });
}

/** Its answer where it has one; that it failed is wanted. */
const failing = <T>(call: () => Promise<T>): Promise<T | undefined> => call().catch(() => undefined);

/** Counted when a worker starts, and every ten minutes. */
async function scorecards(play: Play): Promise<void> {
  await play.i.kill('worker');
  await eventually('scorecards', async () => (await play.people.ada.api.collectiveRuntime.scorecards({ query: {} })).items[0]);
}

async function challenged(play: Play): Promise<void> {
  const { adversarialReviewLoops: loops } = play.people.ada.api;
  const { job_id } = await loops.create({
    params,
    body: { skills: ['fragile'], iterations: 1, budget_cents: 50, deadline_seconds: 900, reviewer: 'harbour', seed: 7 },
  });
  await jobEnded(play, job_id);
}

const SCENARIO = {
  scenario: 'scopes',
  title: 'Scopes',
  summary: 'A child of a grant is no wider than its parent',
  rules: { narrower: 'A child within its parent is accepted' },
  steps: [
    { do: 'mint' as const, as: 'parent', allow: ['docs/**'] },
    { do: 'delegate' as const, from: 'parent', as: 'child', allow: ['docs/public/**'], rule: 'narrower' },
    { do: 'call' as const, skill: 'echo', args: 'sample' as const, expect: 'asked' as const, rule: 'narrower' },
  ],
};

async function rehearsed(play: Play): Promise<void> {
  const { protocolSimulations: rehearsals } = play.people.ada.api;
  const { job_id } = await rehearsals.customRun({ params, body: { suite: { scenarios: [SCENARIO] }, seed: 1, ttl_seconds: 600 } });
  await jobEnded(play, job_id);
  await rehearsals.createSuite({
    params,
    body: { protocol_id: 'gate', version: '1.0.0', display_name: 'Gate', risk_class: 'low', suite: { scenarios: [SCENARIO] } },
  });
}

async function simulated(play: Play): Promise<void> {
  const { kernelSimulations } = play.people.ada.api;
  await jobEnded(play, (await kernelSimulations.start({ body: { template: 'tournament', steps: 5, title: 'Race' } })).job_id);
}

async function room(play: Play): Promise<void> {
  const { trialRooms } = play.people.ada.api;
  const slug = 'tide-tables';
  await trialRooms.create({ body: { title: 'Tide tables', slug, goal: 'Say it again', cases: [{ name: 'plain', inputs: { text: 'six' }, facts: ['six'] }] } });
  const { items } = await trialRooms.run({ params: { slug }, body: { contestants: [ECHO] } });
  const run_id = items[0]?.run_id ?? '';
  await eventually('a rating', () => trialRooms.rate({ params: { slug, run_id }, body: { score: 80, notes: 'Right' } }));
}

async function team(play: Play): Promise<void> {
  const { collectiveRuntime, dagRuns } = play.people.ada.api;
  const members = [{ role: 'worker', agent: 'harbour', skill: 'toil' }];
  for (const goal of ['Count the ships', 'Count the boats']) {
    const plan = await collectiveRuntime.plan({ body: { goal, members } });
    const { dag_run_id } = await collectiveRuntime.start({ body: { plan_id: plan.plan_id } });
    await eventually('a team', async () => ((await dagRuns.get({ params: { dag_run_id } })).ended_at === null ? undefined : true));
    await collectiveRuntime.extract({ body: { dag_run_id } });
  }
}

async function brain(play: Play): Promise<void> {
  const { companyBrain, collectiveRuntime } = play.people.ada.api;
  await companyBrain.runtime({ body: { enabled: true, daily_hour: 3, time_zone: 'Europe/Berlin', daily_budget_cents: 10 } });
  await companyBrain.population();
  await companyBrain.townhall();
  await companyBrain.dream();
  const { items } = await collectiveRuntime.memories({ query: {} });
  for (const [n, { memory_id }] of items.entries()) await companyBrain.feedback({ body: { memory_id, good: n > 0, note: 'After a look' } });
  await companyBrain.dispatch({ body: { goal: 'Count the ships again' } });
  await companyBrain.aging({ body: { days: 1 } });
}

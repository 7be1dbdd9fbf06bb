// What is best done about a brief, and what a run of it is refused for, over a real database. What runs do:
// studio-run.parts.test.ts and test/e2e/studio.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GuestBrief, StudioBrief, type StudioRunIn } from '#contract/studio/studio-brief.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { liveAgent } from '#test/support/runs.ts';
import { cancelJob } from '../../runs/job/cancel.ts';
import { setReusePolicy } from '../../agents/agent/visibility.ts';
import { claimGuestRun, createGuestRun, readGuestRun, sweepGuestRuns } from './guest.ts';
import { listStudioRuns, readRun } from './read.ts';
import { resolveBrief } from './resolve.ts';
import { beyond, briefReach } from './reach.ts';
import { startStudioRun } from './start.ts';
import { AgentCard } from '#contract/wire/card.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
const skill = (id: string, description: string, required: string[] = []) => ({ id, name: id, description, tags: [], policy: { timeout_seconds: null, idempotent: false, max_retries: 0 }, input_schema: { type: 'object', properties: Object.fromEntries(required.map((name) => [name, { type: 'string' }])), required }, output_schema: {} }); // prettier-ignore

beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
});
afterAll(() => t.close());

let names = 0;
const brief = (goal: string, more: object = {}) => StudioBrief.parse({ name: `made-${(names += 1)}`, goal, ...more });
const watch = (more: object = {}) =>
  brief('Watch the website of the harbour and alert me when it is down', { inputs: { url: 'https://harbour.example.org/' }, ...more });
const start = (by: TestUser, i: Omit<StudioRunIn, 'brief'> & { brief: StudioBrief }) => startStudioRun(by, i);

test('with nothing to reuse it is built from the recipe that fits; what the recipe needs is said', cites('agentStudio.resolve'), async () => {
  const plan = await resolveBrief(ada, watch());
  expect(plan).toMatchObject({ decision: 'build_new', model: null, recipes: [{ recipe: 'monitor_alert', missing: [] }, ...plan.recipes.slice(1)] });
  expect(Date.parse(plan.expires_at) - Date.parse(plan.created_at)).toBe(900_000);
  const lacking = await resolveBrief(ada, brief('Watch a website and alert me when it is down'));
  expect(lacking.recipes[0]).toMatchObject({ recipe: 'monitor_alert', missing: ['url'] });
});

test('an agent that does it is used, one that comes near is edited, and one whose owner allows it is forked', async () => {
  const goal = 'Translate tidal almanacs between breton sailors';
  const own = await liveAgent(t.ctx, ada.actor.user_id, {
    card: { skills: [skill('translate', 'Translates tidal almanacs between breton sailors', ['text'])] },
  });
  const used = await resolveBrief(ada, brief(goal, { inputs: { text: 'x' } }));
  expect(used).toMatchObject({ decision: 'use_existing', candidates: [{ agents: [own.name], skills: ['translate'], own: true, inputs_fit: 1, price_micros: 0 }, { decision: 'build_new' }] }); // prettier-ignore
  await expect(start(ada, { brief: brief(goal) })).rejects.toMatchObject({ code: 'studio_use_existing' });
  const near = await resolveBrief(ada, brief('Translate tidal almanacs and ephemerides for lighthouse keepers'));
  expect(near.candidates[0]).toMatchObject({ decision: 'edit_existing', agents: [own.name] });

  const theirs = await liveAgent(t.ctx, ben.actor.user_id, { visibility: 'public', card: { skills: [skill('knit', 'Knits woollen mittens by pattern')] } });
  await t.ctx.db('agents').where({ agent_id: theirs.id }).update({ search_text: 'knits woollen mittens by pattern' });
  const woollen = 'Knit woollen mittens and scarves for puffins';
  expect((await resolveBrief(ada, brief(woollen))).candidates.map(({ decision }) => decision)).toEqual(['build_new']);
  await setReusePolicy(ben, { name: theirs.name, reuse_policy: 'forkable' });
  expect((await resolveBrief(ada, brief(woollen))).candidates[0]).toMatchObject({ decision: 'fork', agents: [theirs.name], own: false });
});

test('a plan holds only for its brief, for a quarter of an hour, for who made it', cites('agentStudio.start'), async () => {
  const wanted = watch();
  const plan = await resolveBrief(ada, wanted);
  await expect(start(ada, { plan_id: plan.plan_id, brief: { ...wanted, goal: `${wanted.goal} now` } })).rejects.toMatchObject({ code: 'studio_brief_changed' });
  await expect(start(ada, { plan_id: plan.plan_id, brief: { ...wanted, budget_cents: 3000 } })).rejects.toMatchObject({ code: 'studio_brief_changed' });
  await expect(start(ben, { plan_id: plan.plan_id, brief: wanted })).rejects.toMatchObject({ code: 'studio_plan_not_found' });
  const later = { ...ada, clock: () => Date.now() + 901_000 };
  await expect(startStudioRun(later, { plan_id: plan.plan_id, brief: wanted })).rejects.toMatchObject({ code: 'studio_plan_expired' });
  const run = await start(ada, { plan_id: plan.plan_id, brief: wanted });
  expect(run).toMatchObject({ state: 'queued', name: wanted.name, decision: 'build_new', recipe: 'monitor_alert', plan_id: plan.plan_id, spent_micros: 0, budget_micros: 5_000_000 }); // prettier-ignore
});

test('what cannot be made is refused at once', async () => {
  await expect(start(ada, { brief: brief('Sing a lullaby in the old tongue', {}) })).rejects.toMatchObject({ code: 'studio_no_recipe' });
  await expect(start(ada, { brief: brief('Watch a website and alert me when it is down') })).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path: ['body', 'inputs', 'url'] }] }); // prettier-ignore
  await expect(start(ada, { brief: watch({ inputs: { url: 'https://x.example/', min: 3 } }) })).rejects.toMatchObject({ code: 'invalid_input' });
  const agent = await liveAgent(t.ctx, ada.actor.user_id);
  const others = await liveAgent(t.ctx, ben.actor.user_id, { visibility: 'public' });
  await expect(start(ada, { brief: { ...watch(), name: agent.name } })).rejects.toMatchObject({ code: 'name_taken' });
  await expect(start(ada, { brief: { ...watch(), name: others.name } })).rejects.toMatchObject({ code: 'name_taken' });
  await expect(start(ada, { brief: watch(), decision: 'edit_existing', agents: [agent.name] })).rejects.toMatchObject({ code: 'studio_model_needed' });
  await expect(start(ada, { brief: watch(), decision: 'fork', agents: [others.name] })).rejects.toMatchObject({ code: 'studio_not_forkable' });
  await expect(start(ada, { brief: watch(), decision: 'compose', agents: [agent.name] })).rejects.toMatchObject({ code: 'studio_parts_needed' });
  await expect(start(ada, { brief: watch({ model: {} }) })).rejects.toMatchObject({ code: 'no_model' });
});

test('five runs of an account are under way at most, of twelve that start at once', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => start(ben, { brief: watch() })));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  for (const one of outcomes) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'too_many_studio_runs' });
  const { items } = await listStudioRuns(ben, { limit: 10 });
  expect(items).toHaveLength(5);
  const [first] = items;
  if (!first) throw new Error('nothing is listed');
  expect(await readRun(ben, first)).toEqual(first);
  await expect(readRun(ada, first)).rejects.toMatchObject({ code: 'studio_run_not_found' });
  await cancelJob(ben, { job_id: first.job_id ?? '' });
});

test(
  'a guest has the source under a token, claims it once, and it is gone after a day',
  cites('agentStudio.createGuest', 'agentStudio.getGuest', 'agentStudio.claim'),
  async () => {
    const cat = await t.user('cat');
    const given = GuestBrief.parse({
      name: 'guest-watch',
      goal: 'Watch the website of the harbour and alert me when it is down',
      inputs: { url: 'https://harbour.example.org/' },
    });
    const made = await createGuestRun({ ...t.ctx, actor: { kind: 'anonymous' } }, given);
    expect(made.files.map(({ path }) => path)).toEqual(expect.arrayContaining(['svc.yaml', 'agent.ts', 'agent.test.ts']));
    expect(JSON.stringify(await t.ctx.db('studio_guest_runs').select())).not.toContain(made.token);
    const { token, ...shown } = made;
    expect(await readGuestRun({ ...t.ctx, actor: { kind: 'anonymous' } }, { token })).toEqual(shown);
    await expect(readGuestRun(cat, { token: `sgr_${'A'.repeat(43)}` })).rejects.toMatchObject({ code: 'studio_guest_run_not_found' });
    const claims = await Promise.allSettled([claimGuestRun(cat, { token, name: 'mine-1' }), claimGuestRun(cat, { token, name: 'mine-2' })]);
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(claims.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'studio_claimed' } });
    expect((await listStudioRuns(cat, { limit: 10 })).items).toMatchObject([{ decision: 'build_new', recipe: 'monitor_alert' }]);
    const tomorrow = { ...t.ctx, actor: { kind: 'anonymous' } as const, clock: () => Date.now() + 86_400_001 };
    await expect(readGuestRun(tomorrow, { token })).rejects.toMatchObject({ code: 'studio_guest_run_not_found' });
    expect(await sweepGuestRuns(tomorrow)).toBe(1);
    await expect(createGuestRun(cat, GuestBrief.parse({ ...given, recipe: 'api_wrapper', inputs: { openapi_url: 'http://169.254.169.254/' } }))).rejects.toMatchObject({ code: 'studio_sign_in' }); // prettier-ignore
  },
);

test('a model widens nothing: what the card asks for beyond the brief and the source that it was given is critical', () => {
  const card = (more: object) => AgentCard.parse({ name: 'x', description: '', version: '0.1.0', skills: [], ...more });
  const egress = (allow_hosts: string[], more: object = {}) => card({ runtime: { egress: { allow_hosts, ...more } } });
  const wanted = watch({ integrations: ['HOOK'] });
  const rules = (of: AgentCard, by: Parameters<typeof briefReach>[1] = {}) => beyond(of, briefReach(wanted, by)).map(({ rule }) => rule);
  expect(rules(egress(['harbour.example.org']))).toEqual([]);
  expect(rules(egress(['*.example.org', 'evil.example', '*']))).toEqual(['egress-beyond-brief', 'egress-beyond-brief', 'egress-beyond-brief']);
  expect(rules(egress([], { deny_internet_by_default: false }))).toEqual(['egress-open']);
  expect(rules(egress([], { allow_internal_services: ['control-plane'] }))).toEqual(['egress-internal']);
  expect(rules(card({ required_secrets: ['HOOK', 'AWS_SECRET_ACCESS_KEY'] }))).toEqual(['secret-beyond-brief']);
  // What a recipe reaches, it goes on reaching; a test of it names nothing.
  const files = [
    { path: 'settings.ts', content: `export const hosts = ['hooks.example.net'];` },
    { path: 'agent.test.ts', content: `const other = 'evil.example';` },
  ];
  expect(rules(egress(['hooks.example.net', 'evil.example']), { files })).toEqual(['egress-beyond-brief']);
  // So does an agent that is edited.
  const before = card({ runtime: { egress: { allow_hosts: ['api.example.com'], allow_internal_services: ['llm'] } }, required_secrets: ['KEY'] });
  expect(rules(before, { card: before })).toEqual([]);
});

// Proofs, challenges, rehearsals, simulations and comparisons in the browser, over the whole API and the real
// workflow engine: what an agent is held against, what was found, and what an owner says to it.
import { Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createDeployActivities } from '#activities/deploy.ts';
import { createLongWorkActivities } from '#activities/long-work.ts';
import { createRehearsalActivities } from '#activities/rehearsals.ts';
import { createRunActivities } from '#activities/runs.ts';
import { createWaitActivities } from '#activities/waits.ts';
import { createClient } from '#contract/client.ts';
import { startHeartbeat } from '#core/runs/index.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import type { RunContext } from '#sdk/typescript/authoring/context.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { temporalLogger } from '#worker/logger.ts';
import { type SdkMachines, sdkMachines } from '../support/sdk-machines.ts';
import { testTemporal } from '../support/servers.ts';
import { startTestWorkers } from '../support/workers.ts';
import { type DashboardWorld, dashboardWorld, shoot, violations } from './dashboard.ts';
import { addProofRecords } from './proof-records.ts';

/** What the clerk does beside its work. */
const behave = { prints: false, slow: false };

class Clerk extends Agent {
  name: string;
  description = 'Files letters.';
  version = '1.0.0';
  override concurrency = 16;
  override requiredSecrets = ['SERVICE_KEY'];
  readonly #print: (line: string) => void;
  constructor(name: string, print: (line: string) => void) {
    super();
    this.name = name;
    this.#print = print;
  }
  file = skill({ description: 'Files.', input: z.object({ title: z.string().max(80), pages: z.int().min(0) }) }, async (ctx, { title, pages }) => {
    await this.#beside(ctx);
    return { filed: `${title}/${pages}` };
  });
  /** Its fault: sums in the text are done, as a shell does them. */
  address = skill({ input: z.object({ line: z.string().max(500) }), output: z.object({ text: z.string() }) }, async (ctx, { line }) => {
    await this.#beside(ctx);
    return { text: line.replaceAll(/\$\(\((\d+)\*(\d+)\)\)/g, (_, a: string, b: string) => String(Number(a) * Number(b))) };
  });
  async #beside(ctx: RunContext): Promise<void> {
    if (behave.prints) this.#print(`the key is ${ctx.secret('SERVICE_KEY')}`);
    if (behave.slow) await new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('left'))));
  }
}

let it: DashboardWorld;
let clerk: SdkMachines;
let name: string;
let stop: () => Promise<unknown>;
let stopHeartbeat: () => void;

beforeAll(async () => {
  // Of what records have begun, only some is worked at here; the rest would be logged as work that nobody
  // knows.
  Runtime.install({ logger: temporalLogger(pino({ level: 'silent' })), shutdownSignals: [] });
  const temporal = await testTemporal();
  it = await dashboardWorld({ temporal });
  const { ctx } = it.world;
  await addProofRecords(it.world);
  // Ben has nothing else.
  const ben = await ctx.db('users').where('email', 'like', 'ben-%').first('user_id');
  clerk = await sdkMachines(ctx, {
    ownerId: ben?.user_id ?? '',
    make: (called, print) => new Clerk(called, print),
    secrets: { SERVICE_KEY: 'the real one' },
  });
  name = clerk.agent.name;
  stopHeartbeat = await startHeartbeat(ctx.db);
  stop = await startTestWorkers(temporal, {
    ...createDeployActivities({ ...ctx, node: 'local' }),
    ...createWaitActivities(ctx),
    ...createRunActivities(ctx),
    ...createRehearsalActivities(ctx),
    ...createLongWorkActivities(ctx),
  });
});
afterAll(async () => {
  await stop();
  stopHeartbeat();
  await clerk.close();
  await it.close();
});

const ben = () => it.world.as('ben');
const button = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true });
const inDialog = (page: Page, label: string) => page.getByRole('dialog').getByRole('button', { name: label, exact: true });
const idIn = (page: Page): string => /job_[0-9a-f-]{36}/.exec(page.url())?.[0] ?? '';

test('a published proof is withdrawn: readers see that, with the reason, in its list, on its page and on the badge, and nothing of its content', async () => {
  const { records, url } = it.world;
  const [agent, proof_id] = [records['proof.agent'] ?? '', records['proof.passed'] ?? ''];
  const widthOfBadge = async (): Promise<number> => {
    const svg = await (await fetch(`${url}/v1/public/agents/${agent}/proof/latest?format=svg`)).text();
    return Number(/ width="(\d+)"/.exec(svg)?.[1]);
  };
  // A reader's browser keeps what it has loaded.
  const { page: reader } = await it.open(`/agents/${agent}/proofs`);
  const shownWidth = () => reader.evaluate<number>("document.querySelector('img[alt^=Badge]').naturalWidth");
  await reader.getByText('The newest proof of every skill that has one passed.').waitFor();
  const before = await widthOfBadge();
  await expect.poll(shownWidth).toBe(before);

  const { page, complaints } = await it.open(`/proofs/${proof_id}`, { who: 'ada' });
  await page.getByText('public, while the agent is public').waitFor();
  await page.getByLabel('Reason').fill('The arguments named a customer');
  await button(page, 'Withdraw this proof').click();
  await page.getByText('that it was withdrawn', { exact: true }).waitFor();
  await page.getByText('The arguments named a customer').waitFor();
  await page.getByRole('heading', { name: 'Withdraw it' }).waitFor({ state: 'detached' });
  const { agentProofs } = createClient({ baseUrl: url, token: it.world.tokens.ada });
  expect(await agentProofs.get({ params: { proof_id } })).toMatchObject({ withdrawn: { reason: 'The arguments named a customer' } });
  await page.getByRole('link', { name: 'Proofs', exact: true }).first().click();
  await page
    .getByRole('row', { name: /slugify/ })
    .getByText('withdrawn')
    .waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();

  await reader.reload();
  await reader.getByText('The owner withdrew the newest proof of a skill.').waitFor();
  const after = await widthOfBadge();
  expect(after).not.toBe(before);
  await expect.poll(shownWidth).toBe(after);
  await reader
    .getByRole('row', { name: new RegExp(proof_id) })
    .getByText('The arguments named a customer')
    .waitFor();
  await reader.getByRole('link', { name: proof_id }).click();
  await reader.getByText('Its owner withdrew this proof.').waitFor();
  for (const title of ['Checks of the outcome', 'Checked in your browser', 'The case'])
    expect(await reader.getByRole('heading', { name: title }).count(), title).toBe(0);
  expect(await violations(reader)).toEqual([]);
  await shoot(reader, 'proof-withdrawn');
  await reader.context().close();
});

test('a challenge finds a fault and is stopped; the agent cannot be promoted until the finding is answered', async () => {
  const { page, complaints } = await it.open(`/agents/mine/${name}/challenges?make=new`, { who: 'ben' });
  await page.getByLabel('Rounds').fill('10');
  await button(page, 'Begin').click();
  await page.waitForURL(/\/challenges\/job_/);
  const job_id = idIn(page);
  const found = page.getByRole('table', { name: 'Findings' });
  await found.getByText('An argument is run as a command').waitFor();
  await found.getByText('The call that shows it').click();
  await found
    .getByText(/\$\(\(\d+\*\d+\)\)/)
    .first()
    .waitFor();
  await button(page, 'Stop').click();
  await inDialog(page, 'Stop').click();
  await page.getByText('It was stopped: what was found until then is kept', { exact: true }).waitFor();
  await page.getByText('cancelled', { exact: true }).first().waitFor();
  await button(page, 'Stop').waitFor({ state: 'detached' });
  expect(await ben().adversarialReviewLoops.get({ params: { name, job_id } })).toMatchObject({ state: 'cancelled', findings: { critical: 1 } });

  const parts = page.getByRole('navigation', { name: 'Parts of this agent' });
  await parts.getByRole('link', { name: 'Access' }).click();
  await page.getByText('Its critical finding must be answered first.').waitFor();
  expect(await page.getByRole('radio', { name: 'Public' }).isDisabled()).toBe(true);
  await expect(ben().agents.setVisibility({ params: { name }, body: { visibility: 'public' } })).rejects.toMatchObject({ code: 'promotion_frozen' });
  await parts.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('link', { name: 'Look at it: Publishing is blocked' }).click();
  await page.getByText('Publishing is blocked').waitFor();

  await button(page, 'Answer: An argument is run as a command').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: /^answer/i }).selectOption({ label: 'Fixed' });
  await dialog.getByRole('textbox', { name: /^reason/i }).fill('I believe so');
  await inDialog(page, 'Answer').click();
  await dialog.getByText('The live version still shows it').waitFor();
  await dialog.getByRole('combobox', { name: /^answer/i }).selectOption({ label: 'Accepted' });
  await dialog.getByRole('textbox', { name: /^reason/i }).fill('It is what a calculator does');
  expect(await violations(page)).toEqual([]);
  await inDialog(page, 'Answer').click();
  await page.getByText('The finding is answered.').waitFor();
  await page.getByText('Publishing is blocked').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Show answered ones too' }).click();
  await page
    .getByRole('row', { name: /An argument is run as a command/ })
    .getByText('“It is what a calculator does”')
    .waitFor();
  await parts.getByRole('link', { name: 'Access' }).click();
  await page.getByRole('radio', { name: 'Public' }).click();
  await page.getByText(`${name} is public.`).waitFor();
  expect((await ben().agents.mineOne({ params: { name } })).visibility).toBe('public');
  // The browser names the refusal of the answer.
  expect(complaints.filter((text) => !text.includes('409'))).toEqual([]);
  await page.context().close();
});

test('a rehearsal says which event broke which rule; another one is stopped, and its stage goes', async () => {
  behave.prints = true;
  const { page, complaints } = await it.open(`/agents/mine/${name}/rehearsals`, { who: 'ben' });
  await button(page, 'Rehearse it').click();
  const scenarios = page.getByRole('checkbox');
  await scenarios.first().waitFor();
  for (const one of await scenarios.all()) await one.uncheck();
  for (const one of ['Redaction', 'Unknown skill']) await page.getByRole('checkbox', { name: one }).check();
  await page.getByLabel('Seed').fill('7');
  await button(page, 'Rehearse it').click();
  const rehearsal = page.getByRole('region', { name: 'Rehearsal: Core scenarios' });
  await rehearsal
    .getByText(
      'Event 5 broke no_secret: No planted secret is in events, receipts, results, audit or logs. Expected accepted, secrets 0; got accepted, secrets 1.',
    )
    .waitFor();
  await rehearsal.getByText('removed', { exact: true }).waitFor();
  // The events of what failed are open: the one that broke the rule is among them.
  await rehearsal.getByText('5 leaks: accepted, tokens 0, secrets 1').waitFor();
  await rehearsal
    .getByRole('row', { name: /Unknown skill/ })
    .getByText('passed')
    .waitFor();
  const job_id = new URL(page.url()).searchParams.get('rehearsal') ?? '';
  const failed = await ben().protocolSimulations.get({ params: { name, job_id } });
  expect(failed).toMatchObject({ seed: 7, verdict: 'failed', stage_removed: true, active_apply_enabled: false, counts: { passed: 1, failed: 1 } });
  await rehearsal.getByText(failed.digest ?? 'no digest', { exact: true }).waitFor();
  expect(await button(page, 'Stop').count()).toBe(0);
  await page.getByRole('table', { name: 'Rehearsals' }).getByText('failed', { exact: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  await shoot(page, 'rehearsal-failed');

  Object.assign(behave, { prints: false, slow: true });
  const slow = await ben().protocolSimulations.start({ params: { name }, body: { scenarios: ['child_scope'] } });
  await page.goto(`${it.address}/agents/mine/${name}/rehearsals?rehearsal=${slow.job_id}`);
  await rehearsal.getByText('running', { exact: true }).first().waitFor();
  await button(page, 'Stop').click();
  await inDialog(page, 'Stop').click();
  await rehearsal.getByText('It was stopped before its scenarios were all played', { exact: true }).first().waitFor();
  await rehearsal.getByText('stopped', { exact: true }).waitFor();
  await rehearsal.getByText('removed', { exact: true }).waitFor();
  behave.slow = false;
  expect(clerk.running()).toEqual([clerk.agent.instanceId]);
  const { items } = await ben().protocolSimulations.list({ params: { name }, query: {} });
  expect(items.map(({ state, verdict }) => [state, verdict])).toEqual([
    ['cancelled', 'incomplete'],
    ['succeeded', 'failed'],
  ]);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a simulation is repeated in the browser and by the platform, and both come to the same digests', async () => {
  const { job_id } = await ben().kernelSimulations.start({ body: { template: 'creator-market', seed: 7, title: 'Which prices last?' } });
  const { page, complaints } = await it.open(`/simulations/${job_id}`, { who: 'ben' });
  await page.getByText('succeeded', { exact: true }).first().waitFor();
  const first = await ben().kernelSimulations.get({ params: { job_id } });
  await page.getByText(first.digest ?? 'no digest', { exact: true }).waitFor();
  await button(page, 'Check in this browser').click();
  await page.getByText(`This browser computes the same ${first.digests.length} digests.`).waitFor();
  await button(page, 'Replay').click();
  await page.getByRole('heading', { name: 'Replay: Which prices last?' }).waitFor();
  await page.getByText('Every digest is the same as in').waitFor();
  await page.getByText(first.digest ?? 'no digest', { exact: true }).waitFor();
  const again = await ben().kernelSimulations.get({ params: { job_id: idIn(page) } });
  expect(again).toMatchObject({ digest: first.digest, digests: first.digests, replay: { of: job_id, matches: true } });
  await page.getByRole('link', { name: 'the first run' }).click();
  await page.waitForURL(new RegExp(job_id));
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('policies are compared over seeds; what is proposed has its lineage, applies nothing, and comes out the same when it is repeated', async () => {
  const { page, complaints } = await it.open('/simulations?show=templates', { who: 'ben' });
  await page.getByRole('link', { name: 'Compare policies in partnership' }).click();
  await page.getByLabel('Title').fill('Whom to work with?');
  await page.getByLabel(/^seeds/i).fill('4');
  await page.getByLabel(/^seed$/i).fill('7');
  await button(page, 'Compare').click();
  await page.waitForURL(/\/simulations\/compared\/job_/);
  const proposal = page.getByRole('region', { name: 'Proposal' });
  await proposal.getByText('It is switched off: nothing applies it.').waitFor();
  const run = await ben().kernelEvolution.get({ params: { job_id: idIn(page) } });
  expect(run.proposal).toMatchObject({ state: 'disabled' });
  const lineage = run.proposal?.lineage ?? [];
  expect(lineage.length).toBeGreaterThan(1);
  expect(await proposal.getByRole('listitem').allInnerTexts()).toEqual(
    lineage.map(({ name: of, change, digest }) => `${of}${change === '' ? '' : `: ${change}`} ${digest.slice(0, 12)}`),
  );
  await page
    .getByRole('table', { name: 'Contestants' })
    .getByText(run.proposal?.contestant ?? 'none', { exact: true })
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await shoot(page, 'comparison-proposal');
  await button(page, 'Replay').click();
  await page.getByRole('heading', { name: 'Replay: Whom to work with?' }).waitFor();
  await page.getByText('Every digest is the same as in').waitFor();
  expect(await ben().kernelEvolution.get({ params: { job_id: idIn(page) } })).toMatchObject({ digest: run.digest, proposal: run.proposal });
  expect(complaints).toEqual([]);
  await page.context().close();
});

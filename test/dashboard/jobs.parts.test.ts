// The ten jobs of jobs.ts, from Home, in a browser over the real API: at most four clicks each.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createJob } from '#core/jobs/create.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { SkillInvocationError } from '#sdk/typescript/authoring/errors.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { liveAgent } from '../support/runs.ts';
import { serveAs } from '../support/greeter.ts';
import { type DashboardWorld, dashboardWorld, type Opened, settled, shoot } from './dashboard.ts';
import { type JobFacts, JOBS } from './jobs.ts';
import { addRunStory } from './run-story.ts';

const MOST_CLICKS = 4;
const FAILURE = 'The chart of the harbour has no page 12.';

class Pilot extends Agent {
  name = 'pilot';
  description = 'Reads charts.';
  version = '1.0.0';
  read = skill({ description: 'Reads a chart.', input: z.object({}), output: z.string() }, async () => {
    throw new SkillInvocationError(FAILURE, { status: 409 });
  });
}

let it: DashboardWorld;
let facts: JobFacts;
let tab: Opened;
let stop: () => Promise<unknown>;
beforeAll(async () => {
  it = await dashboardWorld();
  facts = await addFacts();
  tab = await it.open('/', { who: 'ada' });
  await countClicks(tab.page);
});
afterAll(async () => {
  const table = counted.map(({ name, clicks }) => `${name.padEnd(24)} ${clicks}`).join('\n');
  process.stdout.write(`Clicks from Home\n${table}\n`);
  await stop?.();
  await it.close();
});

const counted: { name: string; clicks: number }[] = [];

test.each(JOBS)('$name', async ({ name, perform }) => {
  const { page, complaints } = tab;
  await page.goto(`${it.address}/`);
  await settled(tab);
  await page.evaluate("sessionStorage.removeItem('test.clicks')");
  await perform(page, facts).finally(() => shoot(page, `job-${name.toLowerCase().replaceAll(' ', '-')}`));
  const clicks = await clicksIn(page);
  counted.push({ name, clicks });
  expect(clicks, `${name}: ${clicks} clicks`).toBeLessThanOrEqual(MOST_CLICKS);
  expect(clicks).toBeGreaterThan(0);
  expect(complaints.splice(0)).toEqual([]);
});

/** Those of the pointer, as the browser has them; a reload keeps their number. */
const countClicks = (page: Page): Promise<unknown> =>
  page.addInitScript(`addEventListener('click', ({ isTrusted, detail }) => {
    if (isTrusted && detail > 0) sessionStorage.setItem('test.clicks', 1 + Number(sessionStorage.getItem('test.clicks')));
  }, true)`);

const clicksIn = async (page: Page): Promise<number> => Number(await page.evaluate("sessionStorage.getItem('test.clicks')"));

/** What the jobs are about: made as an account has it after some days. */
async function addFacts(): Promise<JobFacts> {
  const { ctx, records, url, tokens } = it.world;
  const ada = it.world.as('ada');
  const { user_id: owner } = await ada.auth.me();
  // Only what is asked here waits.
  await ctx.db('waits').delete();
  await addRunStory(it.world);

  // The first by its name: Home shows the first ones.
  const agent = 'a-pilot';
  const pilot = { ...(await liveAgent(ctx, owner)), name: agent };
  await ctx.db('agents').where({ agent_id: pilot.id }).update({ name: agent });
  stop = await serveAs(ctx, pilot, new Pilot());
  const answer = await fetch(`${url}/v1/agents/${agent}/api/invoke/read`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.ada}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(answer.ok).toBe(false);

  const file = new FormData();
  file.set('path', 'berths.txt');
  file.set('file', new Blob(['Berth 7 is free.'], { type: 'text/plain' }), 'berths.txt');
  await ada.files.upload({ body: file, headers: {} });
  await ada.organizations.create({ body: { slug: 'harbour-office', name: 'Harbour office' } });

  // The deployment before the one that serves.
  const live = await ctx.db('deployments as d').join('agents as a', 'a.live_deploy_id', 'd.deploy_id').where({ 'a.name': agent }).first('d.*');
  const job_id = await inTx(ctx, (ctx) => createJob(ctx, { kind: 'deploy', title: 'Deploy', ownerId: owner }));
  await ctx.db('deployments').insert({
    deploy_id: newId('dep'),
    agent_id: live.agent_id,
    created_by: owner,
    entrypoint: live.entrypoint,
    manifest: '{}',
    source_key: 'x',
    source_sha256: '1'.repeat(64),
    source_bytes: 1,
    job_id,
    number: 77,
    state: 'superseded',
    version: '0.9.0',
    image: 'sha256:2',
  });
  await ctx.db('agents').where({ name: agent }).update({ deploy_count: 77 });

  const [receipt] = (await ada.agentReceipts.list({ params: { name: records.name ?? '' }, query: { limit: 1 } })).items;
  return {
    agent,
    failure: FAILURE,
    question: 'Which greeting do you like best?',
    answer: 'Hello',
    file: 'berths.txt',
    organization: 'Harbour office',
    receipt: receipt?.token ?? '',
  };
}

// C17. A chat in which an approval is pending: another message is answered meanwhile, and a denial is shown
// as one, to the person and to the agent.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createDeployActivities } from '#activities/deploy.ts';
import { createRunActivities } from '#activities/runs.ts';
import { createWaitActivities } from '#activities/waits.ts';
import { approval } from '#sdk/typescript/adapters/report.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { startAgent, type StartedAgent } from '#sdk/typescript/runtime/start.ts';
import { type DashboardWorld, dashboardWorld, settled } from '../dashboard/dashboard.ts';
import { socketOf } from '../support/agent-socket.ts';
import { type LiveAgent, liveAgent } from '../support/runs.ts';
import { testTemporal } from '../support/servers.ts';
import { startTestWorkers } from '../support/workers.ts';

/** Asks as the adapters of frameworks ask for their tools. */
class Desk extends Agent {
  name = 'desk';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 16;
  refund = skill({ input: z.object({ order: z.string() }) }, async (ctx, args) => {
    const { approved, reason } = await approval(ctx, 'refund', args, 600);
    return approved ? `Refunded ${args.order}` : `Not refunded: ${reason}`;
  });
  time = skill({ input: z.object({}) }, async () => 'It is noon');
}

let it: DashboardWorld;
let agent: LiveAgent;
let started: StartedAgent;
let stop: () => Promise<unknown>;
beforeAll(async () => {
  const temporal = await testTemporal();
  it = await dashboardWorld({ temporal });
  const { ctx } = it.world;
  // A run that asks a person ends by its workflow.
  stop = await startTestWorkers(temporal, { ...createDeployActivities({ ...ctx, node: 'local' }), ...createRunActivities(ctx), ...createWaitActivities(ctx) });
  agent = await liveAgent(ctx, (await it.world.as('ada').auth.me()).user_id);
  const desk = new Desk();
  desk.name = agent.name;
  const path = socketOf(ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(path), { recursive: true });
  const platform = controlPlane({ url: it.world.url });
  started = await startAgent(desk, { apiKey: 'the-key', listen: { path }, platform, localPush: true, drainMs: 500, onLog: () => {} });
  const card = JSON.stringify(started.card);
  for (const table of ['agents', 'deployments'] as const) await ctx.db(table).where({ agent_id: agent.id }).update({ card });
});
afterAll(async () => {
  await started.shutdown();
  await stop();
  await it.close();
});

test('another message is answered while an approval is pending; the denied one is shown as denied, also after the page was loaded again', async () => {
  const opened = await it.open('/chat', { who: 'ada' });
  const { page, complaints } = opened;
  await settled(opened);
  const say = async (text: string): Promise<void> => {
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill(text);
    await field.press('Enter');
  };
  await say(`@${agent.name}.refund {"order": "o-1"}`);
  await page.waitForURL(/\/chat\/thr_/);
  const talk = page.getByRole('log', { name: 'Conversation' });
  const card = talk.locator('[data-wait]');
  await card.getByText('May the agent call refund with {"order":"o-1"}?').waitFor();
  await say(`@${agent.name}.time {}`);
  await talk.getByRole('article', { name: 'Answer' }).getByText('It is noon').waitFor();
  // It still waits, and can be decided.
  await card.getByRole('checkbox', { name: /Approve/ }).waitFor();
  await card.getByRole('textbox', { name: /Reason/ }).fill('never mind');
  await card.getByRole('button', { name: 'Send' }).click();
  await talk.getByRole('article', { name: 'Decided' }).getByText('Denied: never mind').waitFor();
  await talk.getByRole('article', { name: 'Answer' }).getByText('Not refunded: never mind').waitFor();
  await page.reload();
  await talk.getByRole('article', { name: 'Decided' }).getByText('Denied: never mind').waitFor();
  await talk.getByRole('article', { name: 'Answer' }).getByText('Not refunded: never mind').waitFor();
  expect(await card.count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.context().close();
});

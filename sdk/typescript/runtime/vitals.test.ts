import { expect, it, vi } from 'vitest';
import { Agent } from '../authoring/agent.ts';
import { AgentNotReady } from '../authoring/errors.ts';
import { skill } from '../authoring/skill.ts';
import { serve } from '../test/serve.ts';

class Patient extends Agent {
  name = 'patient';
  description = 'For tests.';
  version = '1.0.0';
  says: () => Promise<boolean> = async () => true;
  greet = skill({}, async () => 'hello');
  override health(): Promise<boolean> {
    return this.says();
  }
}

it.each([
  ['false', async () => false, 'the agent took itself out of service'],
  ['an error with a reason', async () => Promise.reject(new AgentNotReady('the index is being rebuilt')), 'the index is being rebuilt'],
  ['any other error, whose words stay in the log', async () => Promise.reject(new Error('hunter2')), "the agent's health check failed; see its log"],
])('health() takes the agent out of service, and brings it back: %s', async (_, says, reason) => {
  const agent = new Patient();
  const served = await serve(agent, { healthEveryMs: 20 });
  const heard: unknown[] = [];
  served.onHealth((health) => heard.push(health));
  expect((await served.post('/invoke/greet', {})).status).toBe(200);
  agent.says = says;
  await vi.waitFor(() => expect(heard).toEqual([{ ok: false, reason }]));
  const refused = await served.refusal('/invoke/greet', {});
  expect(refused).toMatchObject({ status: 503, detail: { code: 'agent_not_ready', message: reason } });
  expect([refused.headers.get('retry-after'), refused.detail.retry_after_seconds]).toEqual(['5', 5]);
  expect((await fetch(`${served.url}/healthz`)).status).toBe(503);
  agent.says = async () => true;
  await vi.waitFor(() => expect(heard).toEqual([{ ok: false, reason }, { ok: true }]));
  expect((await served.post('/invoke/greet', {})).status).toBe(200);
});

it('the public health answer does not contain the reason', async () => {
  const agent = new Patient();
  const served = await serve(agent, { apiKey: 'key' });
  agent.says = () => Promise.reject(new AgentNotReady('the index is being rebuilt'));
  expect(await (await fetch(`${served.url}/healthz`)).json()).toEqual({ status: 'unhealthy' });
  const known = await fetch(`${served.url}/healthz`, { headers: { authorization: 'Bearer key' } });
  expect(await known.json()).toEqual({ status: 'unhealthy', reason: 'the index is being rebuilt' });
});

it('what it answers before its startup does not count', async () => {
  const agent = new Patient();
  agent.says = async () => false;
  const served = await serve(agent);
  expect((await fetch(`${served.url}/healthz`)).status).toBe(503);
  expect((await served.post('/invoke/greet', {})).status).toBe(200);
});

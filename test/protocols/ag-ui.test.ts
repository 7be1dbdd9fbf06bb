// AG-UI through the real ingress: who may call, what passes as a call, and what the official client reads.
import { HttpAgent } from '@ag-ui/client';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { Frontend } from '#contract/wire/manifest.ts';
import { agentPage } from '#api/ingress/agent-page.ts';
import { declare } from '#sdk/typescript/authoring/declare.ts';
import { hosted, type HostedOptions } from './a2a-world.ts';

class Waiter extends Agent {
  name = 'waiter';
  description = 'For tests.';
  version = '1.0.0';
  order = skill({ input: z.object({ dish: z.string() }) }, async (ctx, { dish }) => {
    await ctx.emitTextDelta(`${dish}, `);
    return { dish, drink: await ctx.ask('And to drink?', 60) };
  });
}

async function served(options?: HostedOptions) {
  const world = await hosted(new Waiter(), options);
  onTestFinished(() => world.stop());
  return world;
}

const Waiting = z.object({ outcome: z.object({ interrupts: z.array(z.object({ id: z.string() })) }) });

test.each(['public', 'unlisted'] as const)('a %s agent is followed, interrupted and answered, each request a call', async (visibility) => {
  const world = await served({ visibility });
  const agent = new HttpAgent({ url: `${world.url}/ag-ui`, ...(visibility === 'unlisted' && { headers: { authorization: 'Bearer svc_ada' } }) });
  let last: unknown;
  agent.subscribe({ onEvent: ({ event }) => void (last = event) });
  agent.addMessage({ id: 'm1', role: 'user', content: 'soup' });
  await agent.runAgent();
  const [open] = Waiting.parse(last).outcome.interrupts;
  const { result, newMessages } = await agent.runAgent({ resume: [{ interruptId: open?.id ?? '', status: 'resolved', payload: 'water' }] });
  expect(result).toEqual({ dish: 'soup', drink: 'water' });
  expect(newMessages).toMatchObject([{ role: 'assistant', content: '{"dish":"soup","drink":"water"}' }]);
  const actor = visibility === 'public' ? 'anonymous' : 'usr_ada';
  expect(world.calls).toEqual([
    { path: '/ag-ui', actor },
    { path: '/ag-ui', actor },
  ]);
});

test('a private agent takes nobody else, with a body or without, and a slash behind the path changes nothing', async () => {
  const world = await served({ visibility: 'unlisted' });
  const ask = (path: string, headers: Record<string, string>) =>
    fetch(world.url + path, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', ...headers } });
  for (const path of ['/ag-ui', '/ag-ui/']) {
    expect((await ask(path, {})).status).toBe(401);
    expect((await ask(path, { authorization: 'Bearer svc_stolen' })).status).toBe(401);
    expect((await ask(path, { authorization: 'Bearer svc_ada', origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await ask(path, { authorization: 'Bearer svc_ada' })).status).toBe(400);
  }
});

test('the agent’s page names the address, and no frontend takes it', () => {
  const { card } = declare(new Waiter());
  expect(agentPage('http://waiter.localhost:8080', { agentName: 'waiter', visibility: 'public', version: '1.0.0' }, { card, mount: undefined })).toContain(
    'http://waiter.localhost:8080/ag-ui<',
  );
  expect(Frontend.safeParse({ mount: '/ag-ui' }).success).toBe(false);
  expect(Frontend.safeParse({ mount: '/ag-uis' }).success).toBe(true);
});

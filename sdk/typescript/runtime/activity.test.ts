// What an agent says it is busy with: work keeps its machine awake, waiting for a person does not.
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '../authoring/agent.ts';
import { skill } from '../authoring/skill.ts';
import { serve } from '../test/serve.ts';

const KEY = { authorization: 'Bearer key' };
const detached = (runId: string) => ({ ...KEY, 'x-svc-detached': '1', 'x-svc-run-id': runId });

class Worker extends Agent {
  name = 'worker';
  description = 'For tests.';
  version = '1.0.0';
  proceed = Promise.withResolvers<void>();
  ask = skill({ stream: true, output: z.string() }, async (ctx) => {
    const answer = await ctx.ask('Which city?');
    await this.proceed.promise;
    return answer;
  });
  work = skill({ stream: true }, async () => await this.proceed.promise);
}

async function served() {
  const worker = new Worker();
  const agent = await serve(worker, { apiKey: 'key' });
  const settles = (report: { working: number; open: number; waiting: number }) => vi.waitFor(() => expect(agent.activity()).toEqual(report), 5_000);
  const answer = async (runId: string) => {
    const events = agent.url + `/runs/${runId}/events`;
    const found = Promise.withResolvers<string>();
    const reader = new AbortController();
    void fetch(events, { headers: KEY, signal: reader.signal }).then(async ({ body }) => {
      for await (const chunk of body ?? []) {
        const id = /qst_[\w-]+/.exec(Buffer.from(chunk).toString())?.[0];
        if (id) return found.resolve(id);
      }
    });
    const id = await found.promise;
    reader.abort();
    expect((await agent.post(`/answers/${id}`, { answer: 'Ghent' }, { headers: KEY })).status).toBe(200);
  };
  return { worker, agent, settles, answer };
}

describe('activity of an agent', () => {
  it('is none where nothing is open', async () => {
    const { agent, settles } = await served();
    await fetch(`${agent.url}/healthz`).then((response) => response.text());
    await settles({ working: 0, open: 0, waiting: 0 });
  });

  it('is work while a run runs, with a stream or without a reader', async () => {
    const { worker, agent, settles } = await served();
    const reader = new AbortController();
    await agent.post('/invoke/work', {}, { headers: { ...detached('run_1'), accept: 'text/event-stream' }, signal: reader.signal });
    await settles({ working: 1, open: 2, waiting: 0 });
    reader.abort();
    await settles({ working: 1, open: 1, waiting: 0 });
    worker.proceed.resolve();
    await settles({ working: 0, open: 0, waiting: 0 });
  });

  it.each([
    ['a stream', 'text/event-stream'],
    ['a call that is answered at the end', 'application/json'],
  ])('is none while %s waits for a person, and work again from the answer on', async (_what, accept) => {
    const { worker, agent, settles, answer } = await served();
    const call = agent.post('/invoke/ask', {}, { headers: { ...detached('run_2'), accept } });
    await settles({ working: 0, open: 2, waiting: 1 });
    await answer('run_2');
    await settles({ working: 1, open: 2, waiting: 0 });
    worker.proceed.resolve();
    expect(await (await call).text()).toContain('Ghent');
    await settles({ working: 0, open: 0, waiting: 0 });
  });

  it('is work while a request is read, long before it is a run', async () => {
    const { agent, settles } = await served();
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const init = { method: 'POST', body: body.readable, duplex: 'half' as const, headers: { ...KEY, 'content-type': 'application/json' } };
    const call = fetch(`${agent.url}/invoke/missing`, init);
    const writer = body.writable.getWriter();
    await writer.write(Buffer.from('{'));
    await settles({ working: 1, open: 1, waiting: 0 });
    await writer.write(Buffer.from('}'));
    await writer.close();
    expect((await call).status).toBe(404);
    await settles({ working: 0, open: 0, waiting: 0 });
  });
});

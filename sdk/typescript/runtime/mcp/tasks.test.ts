import { CreateTaskResultV2Schema, GetTaskResultV2Schema } from '@modelcontextprotocol/ext-tasks/core/v2';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { HEADER } from '../../../../contract/wire/headers.ts';
import { Agent } from '../../authoring/agent.ts';
import { skill } from '../../authoring/skill.ts';
import { serve, type Served } from '../../test/serve.ts';

const META = 'io.modelcontextprotocol/';
const TRIP = { type: 'object', properties: { city: { type: 'string' }, nights: { type: 'integer', minimum: 1 } }, required: ['city', 'nights'] };

class Works extends Agent {
  name = 'works';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 8;
  stopped = 0;
  quick = skill({ description: 'Quick' }, async () => 'done');
  trip = skill({ description: 'Asks' }, async (ctx) => JSON.parse(await ctx.ask('Where to?', 60, { schema: TRIP })));
  twice = skill({ description: 'Asks twice' }, async (ctx) => `${await ctx.ask('One?', 60)} ${await ctx.ask('Two?', 60)}`);
  fails = skill({ description: 'Asks and fails' }, async (ctx) => {
    await ctx.ask('Go on?', 60);
    throw new Error('broken');
  });
  waits = skill({ description: 'Works on' }, async (ctx) => {
    await ctx.emitProgress('a long way');
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
    this.stopped += 1;
  });
}

interface Options {
  as?: string;
  capabilities?: Record<string, unknown>;
}

const TASKS = { extensions: { [`${META}tasks`]: {} }, elicitation: { form: {} } };
let id = 0;

/** One request as a client of 2026 makes it, in the name of a caller that a platform tells. */
async function ask(served: Served, method: string, params: Record<string, unknown>, { as = 'ann', capabilities = TASKS }: Options = {}): Promise<Reply> {
  const meta = {
    [`${META}protocolVersion`]: '2026-07-28',
    [`${META}clientInfo`]: { name: 'test', version: '1' },
    [`${META}clientCapabilities`]: capabilities,
  };
  const response = await served.post(
    '/mcp',
    { jsonrpc: '2.0', id: (id += 1), method, params: { ...params, _meta: meta } },
    {
      headers: {
        authorization: 'Bearer key',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params.taskId ?? params.name),
        [HEADER.runToken]: `svc_run_${Buffer.from(JSON.stringify({ u: null, c: ['user', as] })).toString('base64url')}.mac`,
        [HEADER.runId]: `run_${crypto.randomUUID()}`,
      },
    },
  );
  const text = await response.text();
  return Reply.parse(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text));
}
const Reply = z.object({
  result: z.looseObject({}).optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});
type Reply = z.infer<typeof Reply>;

async function begun(served: Served, name: string): Promise<string> {
  const { result } = await ask(served, 'tools/call', { name, arguments: {} });
  expect(result).toMatchObject({ resultType: 'task', status: 'working' });
  return CreateTaskResultV2Schema.parse(result).taskId;
}

async function get(served: Served, taskId: string, options?: Options): Promise<z.infer<typeof GetTaskResultV2Schema>> {
  return GetTaskResultV2Schema.parse((await ask(served, 'tasks/get', { taskId }, options)).result);
}

/** The open questions by their ids. */
async function asked(served: Served, taskId: string): Promise<[key: string, message: string][]> {
  const task = await get(served, taskId);
  if (task.status !== 'input_required') throw new Error(`it is ${task.status}`);
  return Object.entries(task.inputRequests).map(([key, { params }]) => [key, String(Object(params).message)]);
}

const update = (served: Served, taskId: string, key: string, content: Record<string, unknown>, options?: Options): Promise<Reply> =>
  ask(served, 'tasks/update', { taskId, inputResponses: { [key]: { action: 'accept', content } } }, options);

it('what soon ends is answered at once; what asks is a task, and continues with each answer to its result', async () => {
  const served = await serve(Works, { apiKey: 'key' });
  expect((await ask(served, 'tools/call', { name: 'quick', arguments: {} })).result).toMatchObject({
    resultType: 'complete',
    structuredContent: { result: 'done' },
  });
  const taskId = await begun(served, 'twice');
  for (const word of ['One', 'Two']) {
    const open = await vi.waitFor(async () => {
      const found = await asked(served, taskId);
      expect(found.map(([, message]) => message)).toEqual([`${word}?`]);
      return found;
    });
    expect((await update(served, taskId, open[0]?.[0] ?? '', { answer: word })).result).toMatchObject({ resultType: 'complete' });
  }
  await vi.waitFor(async () => expect(await get(served, taskId)).toMatchObject({ status: 'completed', result: { structuredContent: { result: 'One Two' } } }));
});

it('an answer that does not fit is asked for again, with what was wrong', async () => {
  const served = await serve(Works, { apiKey: 'key' });
  const taskId = await begun(served, 'trip');
  const [[key] = ['']] = await asked(served, taskId);
  await update(served, taskId, key, { city: 'Rome', nights: 0 });
  const [[again, message] = []] = await asked(served, taskId);
  expect(again).toBe(key);
  expect(message).toMatch(/^Where to\?\n\nThe answer before did not do: nights: /);
  await update(served, taskId, key, { city: 'Rome', nights: 2 });
  await vi.waitFor(async () =>
    expect(await get(served, taskId)).toMatchObject({ status: 'completed', result: { structuredContent: { city: 'Rome', nights: 2 } } }),
  );
});

it('a task that is cancelled, or whose person closes the form, ends the run; one that fails has an error result', async () => {
  const agent = new Works();
  const served = await serve(agent, { apiKey: 'key' });
  const working = await begun(served, 'waits');
  expect(await get(served, working)).toMatchObject({ status: 'working', statusMessage: 'a long way' });
  await ask(served, 'tasks/cancel', { taskId: working });
  await vi.waitFor(async () => expect((await get(served, working)).status).toBe('cancelled'));
  await vi.waitFor(() => expect(agent.stopped).toBe(1));
  // Once more changes nothing.
  expect((await ask(served, 'tasks/cancel', { taskId: working })).error).toBeUndefined();

  const declined = await begun(served, 'trip');
  const [[key] = ['']] = await asked(served, declined);
  await ask(served, 'tasks/update', { taskId: declined, inputResponses: { [key]: { action: 'cancel' } } });
  await vi.waitFor(async () => expect((await get(served, declined)).status).toBe('cancelled'));

  const failing = await begun(served, 'fails');
  const [[go] = ['']] = await asked(served, failing);
  await update(served, failing, go, { answer: 'yes' });
  await vi.waitFor(async () => expect(await get(served, failing)).toMatchObject({ status: 'completed', result: { isError: true } }));
});

it('a task is its caller’s: to others it does not exist, to read, to answer or to end', async () => {
  const served = await serve(Works, { apiKey: 'key' });
  const taskId = await begun(served, 'trip');
  const [[key] = ['']] = await asked(served, taskId);
  const stranger = { as: 'eve' };
  const replies = [
    await ask(served, 'tasks/get', { taskId }, stranger),
    await update(served, taskId, key, { city: 'Rome', nights: 1 }, stranger),
    await ask(served, 'tasks/cancel', { taskId }, stranger),
  ];
  const unknown = await ask(served, 'tasks/get', { taskId: 'run_nothing' });
  for (const reply of replies) expect(reply.error).toEqual(unknown.error);
  expect(unknown.error?.code).toBe(-32602);
  expect((await get(served, taskId)).status).toBe('input_required');
});

it('a client that does not know tasks gets none, and may not ask for one', async () => {
  const served = await serve(Works, { apiKey: 'key' });
  const plain = { capabilities: { elicitation: { form: {} } } };
  expect((await ask(served, 'tools/call', { name: 'trip', arguments: {} }, plain)).result).toMatchObject({ resultType: 'input_required' });
  const refused = await ask(served, 'tasks/get', { taskId: await begun(served, 'trip') }, plain);
  expect(refused.error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [`${META}tasks`]: {} } } } });
});

it('one that can show no form gets instructions how to answer', async () => {
  const served = await serve(Works, { apiKey: 'key' });
  const taskId = await begun(served, 'trip');
  const task = await get(served, taskId, { capabilities: { extensions: TASKS.extensions } });
  expect(task).toMatchObject({ status: 'working', statusMessage: expect.stringContaining('answer_question') });
});

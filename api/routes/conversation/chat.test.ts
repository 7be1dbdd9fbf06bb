// Conversations over HTTP, as programs and browsers have them.
import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AgentCard } from '#contract/wire/card.ts';
import { liveAgent } from '#test/support/runs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world.close());

interface Told {
  id: string | undefined;
  event: string | undefined;
  seq: number;
}

const request = (path: string, init: { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {}): Promise<Response> =>
  fetch(world.url + path, {
    method: init.body === undefined ? 'GET' : 'POST',
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    ...(init.signal && { signal: init.signal }),
    headers: { authorization: `Bearer ${world.tokens.ada}`, 'content-type': 'application/json', ...init.headers },
  });
const stream = { accept: 'text/event-stream' };

// Safe: the API under test is strict about what its contract says.
async function read<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}
interface Refused {
  detail: { code: string; issues: { path: unknown[] }[] };
}

async function told(response: Response, enough = Number.POSITIVE_INFINITY): Promise<Told[]> {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const seen: Told[] = [];
  const parser = createParser({ onEvent: ({ id, event, data }) => void seen.push({ id, event, seq: Number(JSON.parse(data).seq) }) });
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (seen.length >= enough) break;
  }
  return seen;
}

verifies('chat.send', 'words that nothing fits are answered at once; the same key is the same turn; a mistake names its character', async () => {
  const body = { message: 'quantum chromodynamics' };
  const send = async (headers = {}): Promise<{ turn_id: string; reading: string; thread_id: string; state: string }> =>
    read(request('/v1/me/chat', { body, headers }));
  const first = await send({ 'idempotency-key': 'k1' });
  expect(first).toMatchObject({ reading: 'nothing', state: 'succeeded', waits: [], runs: [] });
  expect((await send({ 'idempotency-key': 'k1' })).turn_id).toBe(first.turn_id);
  expect((await send()).turn_id).not.toBe(first.turn_id);
  const other = await request('/v1/me/chat', { body: { message: 'other' }, headers: { 'idempotency-key': 'k1' } });
  expect([other.status, (await read<Refused>(other)).detail.code]).toEqual([409, 'idempotency_key_reused']);
  const wrong = await request('/v1/me/chat', { body: { message: `@${world.records['name']}.greet {"a": }` } });
  const { detail } = await read<Refused>(wrong);
  expect([wrong.status, detail.issues[0]?.path]).toEqual([422, ['body', 'message', `@${world.records['name']}.greet {"a": `.length]]);
});

verifies('chat.send', 'words for several skills become a plan with references; what the rules are not sure of is asked, and nothing runs', async () => {
  const text = { type: 'string' };
  const skill = (id: string, takes: string, gives: string): object => ({
    id,
    name: id,
    description: '',
    input_schema: { type: 'object', properties: { [takes]: text }, required: [takes] },
    output_schema: { type: 'object', properties: { [gives]: text }, required: [gives] },
  });
  const agent = await liveAgent(world.ctx, (await world.as('ada').auth.me({})).user_id);
  const card = { name: agent.name, description: '', version: '1.0.0', skills: [skill('abridge', 'text', 'summary'), skill('slugify', 'title', 'slug')] };
  const rows = world.ctx.db('agents').where({ agent_id: agent.id });
  await rows.update({ card: JSON.stringify(AgentCard.parse(card)), search_text: `${agent.name} abridge slugify` });
  interface Said {
    reading: string;
    dag_run_id: string | null;
    text: string;
  }
  const send = (message: string): Promise<Said> => read(request('/v1/me/chat', { body: { message }, headers: { prefer: 'wait=0' } }));
  const turn = await send('abridge "A long story", then slugify it');
  expect(turn).toMatchObject({ reading: 'plan', state: 'running' });
  expect(await world.as('ada').dagRuns.get({ params: { dag_run_id: turn.dag_run_id ?? '' } })).toMatchObject({
    planner: 'rules',
    nodes: [
      { skill: 'abridge', args: { text: 'A long story' }, depends_on: [] },
      { skill: 'slugify', args: { title: '$1.result.summary' }, depends_on: [1] },
    ],
  });
  const doubtful = await send('abridge this, then slugify it');
  expect(doubtful).toMatchObject({ reading: 'candidates', state: 'succeeded', dag_run_id: null, runs: [], text: expect.stringContaining('needs text') });
});

verifies('chat.send', 'as a stream it carries the events of the turn and ends with it', async () => {
  const seen = await told(await request('/v1/me/chat', { body: { message: 'nothing like it' }, headers: stream }));
  expect(seen.map(({ id, event }) => [id, event])).toEqual([
    ['1', 'message'],
    ['2', 'turn.started'],
    ['3', 'message'],
    ['4', 'turn.ended'],
  ]);
});

verifies('chatThreads.activity', 'a reader resumes after the event it has, and goes on with what comes', async () => {
  const { thread_id } = await read<{ thread_id: string }>(request('/v1/me/chat', { body: { message: 'first words' } }));
  const page = await read<{ items: Told[]; last_seq: number }>(request(`/v1/me/threads/${thread_id}/activity?after=2&limit=1`));
  expect([page.items.map(({ seq }: Told) => seq), page.last_seq]).toEqual([[3], 4]);
  const gone = new AbortController();
  const reading = request(`/v1/me/threads/${thread_id}/activity`, { headers: { ...stream, 'last-event-id': '2' }, signal: gone.signal }).then((response) =>
    told(response, 6),
  );
  await request('/v1/me/chat', { body: { message: 'second words', thread_id } });
  expect((await reading).slice(0, 6).map(({ seq }) => seq)).toEqual([3, 4, 5, 6, 7, 8]);
  gone.abort();
});

test('every message of a thread is listed, and none of another account', async () => {
  const { thread_id } = await read<{ thread_id: string }>(request('/v1/me/chat', { body: { message: 'hello threads' } }));
  const { items } = await world.as('ada').chatThreads.messages({ params: { thread_id }, query: {} });
  expect(items.map(({ role }) => role)).toEqual(['assistant', 'user']);
  expect(await world.as('ada').chatThreads.update({ params: { thread_id }, body: { title: 'Mine' } })).toMatchObject({ title: 'Mine' });
  await expect(world.as('ben').chatThreads.messages({ params: { thread_id }, query: {} })).rejects.toMatchObject({ status: 404 });
  await expect(world.as('ben').chat.send({ body: { message: 'hi', thread_id }, headers: {} })).rejects.toMatchObject({ status: 404 });
  await world.as('ada').chatThreads.delete({ params: { thread_id } });
  await expect(world.as('ada').chatThreads.messages({ params: { thread_id }, query: {} })).rejects.toMatchObject({ status: 404 });
});

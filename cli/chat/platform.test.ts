// A conversation with what is deployed, at the terminal: against the real HTTP kernel; what the thread tells
// is scripted here.
import { Readable } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import type { z } from 'zod';
import { serveForTest } from '#api/http/test/serve.ts';
import { agents } from '#contract/agents/agents.ts';
import { chat, type ChatIn, type TurnOut } from '#contract/conversation/chat.ts';
import { chatThreads } from '#contract/conversation/chat-threads.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { liveAgent } from '../test/live-agent.ts';
import { piped, toolAt, typing } from '../test/signed-in.ts';

type Turn = z.input<typeof TurnOut>;
const at = '2026-11-22T04:00:00.000Z';
const uuid = '00000000-0000-7000-8000-000000000001';
const THREAD = `thr_${uuid}`;
const QUESTION = `qst_${uuid}`;
const turn: Turn = {
  turn_id: 'trn_1',
  thread_id: THREAD,
  state: 'running',
  reading: 'call',
  text: '',
  candidates: [],
  job_id: `job_${uuid}`,
  dag_run_id: null,
  runs: [],
  waits: [],
  error: null,
  first_seq: 1,
  last_seq: null,
  created_at: at,
  ended_at: null,
};
const card = AgentCard.parse({
  name: 'notes',
  description: 'Keeps notes',
  version: '1.0.0',
  skills: [
    { id: 'add', name: 'add', input_schema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } }, output_schema: {} },
    { id: 'list', name: 'list', input_schema: { type: 'object', properties: {} }, output_schema: {} },
  ],
});

interface Event {
  kind: string;
  payload: Record<string, unknown>;
}
const world = { events: [] as Event[], said: [] as z.output<typeof ChatIn>[], keys: [] as unknown[], answers: [] as unknown[], opened: [] as string[] };
let script: (message: z.output<typeof ChatIn>) => { events: Event[]; turn?: Partial<Turn> };
let changed = (): void => undefined;
let cut: boolean;
const says = (text: string): Event[] => [
  { kind: 'message', payload: { role: 'assistant', turn_id: 'trn_1', text } },
  { kind: 'turn.ended', payload: { turn_id: 'trn_1', state: 'succeeded' } },
];
beforeEach(() => {
  Object.assign(world, { events: [], said: [], keys: [], answers: [], opened: [] });
  cut = false;
  script = () => ({
    events: [{ kind: 'run.started', payload: { agent: 'notes', skill: 'add' } }, { kind: 'run.progress', payload: { message: 'writing' } }, ...says('Kept.')],
  });
});

async function* activity(after: number): AsyncGenerator<string> {
  for (let seq = after + 1; ; seq += 1) {
    while (world.events.length < seq) await new Promise<void>((resolve) => (changed = resolve));
    const { kind, payload } = world.events[seq - 1] ?? { kind: '', payload: {} };
    yield `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify({ thread_id: THREAD, seq, kind, payload, at })}\n\n`;
    if (cut && kind === 'run.progress') {
      cut = false;
      return;
    }
  }
}

const asked = { agent: 'notes', skill: 'add', prompt: '', expires_at: at };
function serve() {
  return serveForTest(
    {
      agents: { get: agents.get },
      chat: { send: chat.send, answerQuestion: chat.answerQuestion },
      chatThreads: { activity: chatThreads.activity, messages: chatThreads.messages },
    },
    {
      agents: {
        get: (_ctx, { params: { name } }) => {
          return liveAgent(name, card);
        },
      },
      chat: {
        send(_ctx, { body, headers }, http) {
          world.said.push(body);
          world.keys.push(headers['idempotency-key']);
          const next = script(body);
          const first = world.events.length + 1;
          world.events.push(...next.events);
          return http.reply(200, { ...turn, ...next.turn, first_seq: first });
        },
        answerQuestion(_ctx, { body }) {
          world.answers.push(body.answer);
          world.events.push({ kind: 'wait.answered', payload: { wait_id: QUESTION } }, ...says('Kept in blue.'));
          changed();
          return { question_id: QUESTION, state: 'answered' as const, ...asked };
        },
      },
      chatThreads: {
        activity(_ctx, _input, http) {
          world.opened.push(http.lastEventId ?? '');
          return http.reply(200, Readable.from(activity(Number(http.lastEventId ?? 0))), { 'content-type': 'text/event-stream' });
        },
        messages: () => ({ items: [{ message_id: 'm', seq: 1, role: 'assistant' as const, text: 'Earlier', turn_id: 't', at }], next_cursor: null }),
      },
    },
  );
}

const { tool } = await toolAt(await serve());

test('tools of the agent are called, each turn in the same thread, and shown once over a broken stream', async () => {
  cut = true;
  const ran = await tool.run(['chat', 'notes'], piped('add buy milk', 'list', '/thread', '/quit'));
  expect(ran).toMatchObject({ code: EXIT.ok, out: 'Kept.\nKept.\n' });
  expect(world.said).toMatchObject([
    { agent: 'notes', skill: 'add', args: { text: 'buy milk' } },
    { agent: 'notes', skill: 'list', args: {}, thread_id: THREAD },
  ]);
  expect(world.opened.slice(0, 2)).toEqual(['0', '2']);
  expect(ran.err.match(/writing/g)).toHaveLength(2);
  expect(ran.err).toContain(`svc chat notes --thread ${THREAD}`);
});

test('what is asked is asked inline', async () => {
  const opened = {
    wait_id: QUESTION,
    kind: 'question',
    prompt: 'Which colour?',
    expires_at: at,
    answer_path: '/x',
    run_id: null,
    agent: 'notes',
    skill: 'add',
    title: 'notes.add asks',
  };
  script = () => ({ events: [{ kind: 'wait.opened', payload: opened }] });
  const ran = await tool.run(['chat', 'notes'], typing('add x', 'blue', '/quit'));
  expect(ran).toMatchObject({ code: EXIT.ok, out: 'Kept in blue.\n' });
  expect(world.answers).toEqual(['blue']);
  expect(ran.err).toContain('? notes.add asks: Which colour?');
  const left = await tool.run(['chat', 'notes'], piped('add x'));
  expect(left.code).toBe(EXIT.waiting);
  expect(left.err).toContain(`svc answer ${QUESTION} VALUE`);
});

test('what is missing is asked for; mistakes cost nothing', async () => {
  const ran = await tool.run(['chat', 'notes'], typing('add size=1', 'add', 'from the form', '/nonsense', '/help', '/quit'));
  expect(world.said).toMatchObject([{ skill: 'add', args: { text: 'from the form' } }]);
  expect(ran.err).toContain('add takes no "size"');
  expect(ran.err).toContain('There is no /nonsense');
  expect(ran.err).toContain('/thread (its id)');
});

test('the platform suggests, one is picked and filled in', async () => {
  const schema = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } };
  const candidate = {
    agent: 'notes',
    skill: 'add',
    title: 'Add',
    description: 'Adds a note',
    mine: true,
    score: 1,
    schema,
    args: {},
    missing: ['text'],
    say: '@notes.add {}',
  };
  script = ({ message }) =>
    message === '' ? { events: says('Kept.') } : { events: says('These may help:'), turn: { reading: 'candidates', candidates: [candidate] } };
  const ran = await tool.run(['chat', '--platform'], typing('note something', '1', 'milk', '/quit'));
  expect(ran.out).toBe('These may help:\nKept.\n');
  expect(ran.err).toContain('1) notes.add  Adds a note');
  expect(world.said).toMatchObject([{ message: 'note something' }, { agent: 'notes', skill: 'add', args: { text: 'milk' }, thread_id: THREAD }]);
});

test('a conversation is taken up again', async () => {
  const ran = await tool.run(['chat', '--thread', THREAD], piped('hello'));
  expect(ran.err).toContain('Earlier');
  expect(world.said).toMatchObject([{ thread_id: THREAD, message: 'hello' }]);
});

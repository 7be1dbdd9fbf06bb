// Two agents of two people, each in its machine: the called one only says that it waits, or puts other words
// in place of what it asks. What it costs its caller is the time of the call; what a person is shown is what
// the platform keeps. In process: test/attacks/false-wait.test.ts, false-prompts.test.ts.
// reads: test/e2e/templates/impostor test/e2e/templates/planner
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentEvent } from '#contract/wire/events.ts';
import { type Person, signedIn } from '#stack/demo/person.ts';
import { type Installation, installation, ok, repository } from './installation.ts';

let i: Installation;
let ada: Person;

beforeAll(async () => {
  i = await installation();
  ok(await i.stack('up'));
  const ben = join(i.home, '..', 'ben');
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ok(await i.svcAs(ben, 'login', '--local', 'ben@svc.local'));
  ada = await signedIn(i.baseUrl, i.home);
  await deploy('planner', i.home);
  await deploy('impostor', ben);
});
afterAll(() => i?.destroy());

async function deploy(name: string, home: string): Promise<void> {
  const folder = join(dirname(i.home), 'projects', name);
  await cp(join(repository, 'test/e2e/templates', name), folder, { recursive: true });
  ok(await i.svcAs(home, 'deploy', folder, '--public', '--wait'));
}

/** What waits for ada, as the tool lists it. */
const inbox = async (): Promise<unknown> => JSON.parse(ok(await i.svc('answer', '--json')).stdout);
const shownIn = (events: readonly AgentEvent[]): unknown[] =>
  events.flatMap(({ kind, payload: { request_id: _own, expires_at: _at, ...what } }) => (kind === 'platform_wait' ? [what] : []));

test('an agent that only says it waits costs its caller the time of the call, and shows nothing', async () => {
  const events: AgentEvent[] = [];
  const watching = ada.watch('planner', 'plan', { skill: 'lie' }, { onEvent: (event) => void events.push(event) });
  await expect(watching).rejects.toThrow(/impostor\/lie did not answer within 20 s/);
  expect(shownIn(events)).toEqual([]);
  expect(events.map(({ kind, payload }) => (kind === 'status' ? payload['state'] : kind))).not.toContain('waiting');
  expect(await inbox()).toEqual([]);
});

test('what it really asks is shown as the platform keeps it, under its name, and answered there', async () => {
  const { result, events } = await ada.watch(
    'planner',
    'plan',
    { skill: 'ask' },
    {
      onEvent: async ({ kind, payload }) => {
        if (kind !== 'platform_wait') return;
        expect(await inbox()).toMatchObject([{ wait_id: payload['wait_id'], prompt: 'Pay 100 euros?', agent: 'impostor', called_by: ['planner'] }]);
        await ada.client.chat.answerQuestion({ params: { question_id: String(payload['wait_id']) }, body: { answer: 'no' } });
      },
    },
  );
  expect(result).toEqual({ result: { said: 'no' } });
  expect(shownIn(events)).toEqual([{ wait_id: expect.any(String), agent: 'impostor', skill: 'ask', prompt: 'Pay 100 euros?' }]);
});

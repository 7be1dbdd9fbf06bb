// The main job on the real parts, over one installation, as short as it gets: up, sign in, an agent in
// TypeScript by git push and one in Python by the tool, both built and run in machines; called, asked, killed
// under, answered; a model called; a receipt verified offline. What goes wrong on the way, and the other ways
// in, are in first-call.
import { cp, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { DoctorOut } from '#contract/platform/doctor.ts';
import { RunOut } from '#contract/runs/runs.ts';
import { gitIn } from '#drivers/scm/test/serve-git.ts';
import { type Person, signedIn } from '#stack/demo/person.ts';
import { places } from '#stack/settings.ts';
import { cites } from '../spec/verifies.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { type Address, byA2a, byAgUi, byMcp } from './official-clients.ts';
import { type Installation, installation, ok, repository, statusOf } from './installation.ts';

const KEY = 'sk-of-the-provider';
const WISH = 'Tea with cardamom';
const KILLED = ['api', 'host', 'worker'];

let i: Installation;
let provider: Provider;
let ada: Person;
/** The runs that were waited for. */
let served: string[];

beforeAll(async () => {
  provider = await startProvider();
  i = await installation({ SVC_LLM_LOCAL_HOSTS: provider.host });
  ok(await i.stack('up'));
});
afterAll(async () => {
  await i?.destroy();
  await provider?.close();
});

type Seen = z.infer<typeof RunOut>;
type Run = Pick<Seen, 'agent' | 'run_id'>;
const start = (name: string, skill_name: string, body: Record<string, unknown>): Promise<Run> =>
  ada.client.agents.startRun({ params: { name, skill_name }, headers: {}, body });
const lookAt = async ({ agent, run_id }: Run): Promise<Seen> => RunOut.parse(await (await ada.client.agents.run({ params: { name: agent, run_id } })).json());
const until = (run: Run, state: string): Promise<Seen> =>
  vi.waitFor(
    async () => {
      const now = await lookAt(run);
      expect(now).toMatchObject({ state });
      return now;
    },
    { timeout: 300_000, interval: 200 },
  );

/** The template in a repository of a person, pushed as the documentation says. */
async function push(name: string): Promise<string> {
  await ada.client.agents.fromSource({ body: { name } });
  const folder = join(i.home, name);
  await cp(join(repository, 'test/e2e/templates', name), folder, { recursive: true });
  const git = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await gitIn(folder, args, i.env);
    return ok({ code, stdout: out, stderr: err }).stderr;
  };
  await git('init', '-q', '-b', 'main');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'Greet guests');
  ok(await i.svc('clone', name, '--remote', 'svc', '--project', folder));
  return git('push', 'svc', 'HEAD:main');
}

test('npm run doctor finds nothing wrong with the installation', async () => {
  const { code, stdout } = await i.stack('doctor', '--json');
  const { findings } = DoctorOut.parse(JSON.parse(stdout));
  expect(findings.filter(({ state }) => state === 'problem')).toEqual([]);
  expect([code, new Set(findings.map(({ part }) => part)).size]).toEqual([0, 12]);
});

test('every part is up and says where it is; a person signs in', async () => {
  const parts = (await statusOf(i)).filter(({ pid }) => pid !== undefined);
  expect(parts.map(({ part }) => part).sort()).toEqual(['api', 'host', 'imports', 'postgres', 'temporal', 'temporal-ui', 'worker']);
  expect((await fetch(`${i.baseUrl}/readyz`)).status).toBe(200);
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ada = await signedIn(i.baseUrl, i.home);
  expect(await ada.client.auth.me()).toMatchObject({ email: 'ada@svc.local' });
});

test('two agents are built in machines and go live: TypeScript by git push, Python by the tool', cites('service.hosted'), async () => {
  const model = { name: 'main', provider: 'openai_compatible', base_url: provider.url, api_key: KEY, model: 'm-1' } as const;
  await ada.client.llmCreds.put({ body: model });
  const [pushed, deployed] = await Promise.all([push('concierge'), i.svc('deploy', join(repository, 'test/e2e/templates/porter'), '--wait', '--json')]);
  expect(pushed).toMatch(/remote: Live: concierge 1\.0\.0/);
  expect(JSON.parse(ok(deployed).stdout)).toMatchObject({ name: 'porter', state: 'live' });
});

test('they answer, and ask a model whose key they never see', async () => {
  const called = ok(await i.svc('call', 'concierge', 'greet', 'name=Ada'));
  expect(called.stdout).toContain('Hello, Ada!');
  const { invoke } = ada.client.agents;
  const answerOf = async (name: string, skill_name: string, body: Record<string, unknown>) => (await invoke({ params: { name, skill_name }, body })).json();
  expect(await answerOf('porter', 'greet', { name: 'Ada' })).toEqual({ text: 'Good day, Ada!' });
  const words = provider.words.join('');
  expect(await answerOf('concierge', 'think', { about: 'guests' })).toEqual({ said: words });
  expect(await answerOf('porter', 'think', { about: 'bags' })).toEqual({ text: words });
  expect(provider.asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
});

test('the official clients of MCP, A2A and AG-UI call them', async () => {
  const token = ok(await i.svc('token')).stdout.trim();
  const at = (name: string): Address => ({ url: `http://${name}.localhost:${i.port}`, token });
  expect(await byMcp(at('porter'), 'greet', { name: 'Mai' })).toEqual({ text: 'Good day, Mai!' });
  expect(JSON.stringify(await byA2a(at('concierge'), 'greet', { name: 'Mai' }))).toContain('Hello, Mai!');
  expect(await byAgUi(at('concierge'), 'greet', { name: 'Mai' })).toEqual({ text: 'Hello, Mai!' });
});

test('a streaming skill arrives as events, its receipt last', cites('events.bridge'), async () => {
  const response = await ada.client.agents.invoke({ params: { name: 'concierge', skill_name: 'count' }, body: { to: 1 } });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  await response.text();
  const { events, result, receiptId } = await ada.watch('concierge', 'count', { to: 3 });
  expect(events.filter(({ kind }) => kind === 'text_delta')).toHaveLength(3);
  expect(events.slice(-2).map(({ kind }) => kind)).toEqual(['result', 'receipt']);
  expect(result).toEqual({ counted: 3 });
  expect(receiptId).toMatch(/^rcp_/);
});

test('API, host and worker are killed while both agents wait for an answer: each comes back, and the runs go on with the next line', async () => {
  const runs = await Promise.all(['concierge', 'porter'].map((name) => start(name, 'serve', { name: 'Ben' })));
  served = runs.map(({ run_id }) => run_id);
  const waiting = await Promise.all(runs.map((run) => until(run, 'waiting')));
  const before = await statusOf(i);
  const pidsOf = (parts: typeof before) => parts.filter(({ part }) => KILLED.includes(part)).map(({ pid }) => pid ?? 0);
  for (const pid of pidsOf(before)) process.kill(pid, 'SIGKILL');
  await vi.waitFor(
    async () => {
      const now = (await statusOf(i)).filter(({ part }) => KILLED.includes(part));
      expect(now.map(({ state }) => state)).toEqual(KILLED.map(() => 'healthy'));
      expect(pidsOf(now).filter((pid) => pidsOf(before).includes(pid))).toEqual([]);
    },
    { timeout: 300_000, interval: 1_000 },
  );
  const [first = '', second = ''] = waiting.map(({ waits }) => waits[0]?.wait_id);
  ok(await i.svc('answer', first, WISH));
  await ada.client.chat.answerQuestion({ params: { question_id: second }, body: { answer: 'Bags' } });
  const ended = await Promise.all(runs.map((run) => until(run, 'succeeded')));
  expect(ended.map(({ result }) => result)).toEqual([
    { text: `${WISH} for Ben`, steps: [1, 2] },
    { text: 'Bags of Ben', steps: [1, 2] },
  ]);
});

test("the engine's database holds the work, and nothing that people or agents said in it", async () => {
  const database = places(i.stateDir).temporalDatabase;
  // With what it has not taken into the file itself.
  const files = (await readdir(dirname(database))).filter((name) => name.startsWith(basename(database)));
  const stored = (await Promise.all(files.map((name) => readFile(join(dirname(database), name), 'latin1')))).join('\n');
  expect(served.filter((id) => stored.includes(`run:${id}`))).toEqual(served);
  const said = [WISH, 'What does Ben want?', 'What does Ben bring?', 'Greets guests', 'ada@svc.local', 'Hello, Ada!'];
  expect(said.filter((words) => stored.includes(words))).toEqual([]);
});

test('the receipt of each agent verifies offline with the published key alone, and not with a letter changed', async () => {
  const [key] = (await ada.client.public.receiptKeys()).keys;
  const verified = async (token: string): Promise<number | null> => (await i.svc('receipt', 'verify', '--token', token, '--key', key?.public_key ?? '')).code;
  i.env['SVC_API_URL'] = 'http://127.0.0.1:1';
  for (const name of ['concierge', 'porter']) {
    const [sealed] = (await ada.client.agentReceipts.list({ params: { name } })).items;
    const { token = '' } = sealed ?? {};
    expect(await verified(token)).toBe(0);
    expect(await verified(`${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`)).toBe(1);
  }
});

// Every way in to agents that run in machines, in both languages, with a resolver for people and one for
// keys: who calls reaches the skill, with the scopes that they have, and the platform's own credentials never
// do. test/callers/ walks all resolvers in process.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { RunOut } from '#contract/runs/runs.ts';
import { CredentialStore } from '#cli/login/credentials.ts';
import { type Person, signedIn } from '#stack/demo/person.ts';
import { cites } from '../spec/verifies.ts';
import { type Installation, installation, ok, repository } from './installation.ts';

const AGENTS = ['ts-people', 'ts-key', 'py-people', 'py-key'] as const;
type AgentName = (typeof AGENTS)[number];
const ENTRIES: Record<AgentName, string> = { 'ts-people': 'agent:People', 'ts-key': 'agent:Key', 'py-people': 'agent:People', 'py-key': 'agent:Key' };
const within = { timeout: 300_000, interval: 200 };

interface Account {
  person: Person;
  home: string;
  token: string;
  email: string;
}
let i: Installation;
let ada: Account;
let ben: Account;

beforeAll(async () => {
  i = await installation();
  ok(await i.stack('up'));
  [ada, ben] = [await account('ada'), await account('ben')];
  await Promise.all(AGENTS.map(deploy));
});
afterAll(() => i?.destroy());

async function account(who: string): Promise<Account> {
  const home = join(i.home, '..', who);
  const email = `${who}@svc.local`;
  ok(await i.svcAs(home, 'login', '--local', email));
  const token = (await new CredentialStore(join(home, '.svc')).get(i.baseUrl))?.access_token ?? '';
  return { person: await signedIn(i.baseUrl, home), home, token, email };
}

async function deploy(name: AgentName): Promise<void> {
  const folder = join(dirname(i.home), 'projects', name);
  await cp(join(repository, 'test/e2e/templates', name.startsWith('ts') ? 'callers-ts' : 'callers-py'), folder, { recursive: true });
  const agent = join(folder, name.startsWith('ts') ? 'agent.ts' : 'agent.py');
  await writeFile(agent, (await readFile(agent, 'utf8')).replaceAll(/(['"])says\1/g, `$1${name}$1`));
  await writeFile(join(folder, 'svc.yaml'), `name: ${name}\nversion: 1.0.0\nentrypoint: ${ENTRIES[name]}\n`);
  ok(await i.svcAs(ada.home, 'deploy', folder, '--public', '--wait'));
}

const Seen = z.object({ auth: z.record(z.string(), z.unknown()), caller: z.record(z.string(), z.unknown()).nullable() });
type Seen = z.infer<typeof Seen>;
interface Answer {
  seen: Seen | undefined;
  text: string;
}
function answer(text: string): Answer {
  const said = /seen:([\w-]+);/.exec(text)?.[1];
  return { text, seen: said === undefined ? undefined : Seen.parse(JSON.parse(Buffer.from(said, 'base64url').toString())) };
}
const told = (work: Promise<string>): Promise<Answer> => work.then(answer, (error: unknown) => answer(`refused: ${String(error)} ${JSON.stringify(error)}`));

async function atHost(name: string, path: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
  // As a browser would reach it, whose system may know no names below localhost.
  const response = await request(`${i.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers, host: `${name}.localhost:${i.port}` },
    body: JSON.stringify(body),
  });
  return answer(`${response.statusCode} ${await response.body.text()}`);
}
const bearer = ({ token }: Account) => ({ authorization: `Bearer ${token}` });
const tool = (skill: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: skill, arguments: {} } });

async function ended({ person }: Account, name: string, run_id: string): Promise<string> {
  return vi.waitFor(async () => {
    const run = RunOut.parse(await (await person.client.agents.run({ params: { name, run_id } })).json());
    expect(['succeeded', 'failed', 'cancelled']).toContain(run.state);
    return JSON.stringify(run);
  }, within);
}

type Way = (by: Account, name: AgentName, skill: string) => Promise<Answer>;
const WAYS: Readonly<Record<string, Way>> = {
  api: ({ person }, name, skill_name) => told(person.client.agents.invoke({ params: { name, skill_name }, body: {} }).then((response) => response.text())),
  tool: async ({ home }, name, skill) => {
    const { stdout, stderr } = await i.svcAs(home, 'call', name, skill);
    return answer(`${stdout} ${stderr}`);
  },
  'mcp of the API': async (by, name, skill) => {
    const response = await fetch(`${i.baseUrl}/v1/agents/${name}/mcp`, {
      method: 'POST',
      headers: { ...bearer(by), 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
      body: JSON.stringify(tool(skill)),
    });
    return answer(await response.text());
  },
  host: (by, name, skill) => atHost(name, `/invoke/${skill}`, {}, bearer(by)),
  'mcp of the host': (by, name, skill) => atHost(name, '/mcp', tool(skill), { ...bearer(by), 'mcp-protocol-version': '2025-06-18' }),
  a2a: (by, name, skill) => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ data: {} }], metadata: { skill } };
    return atHost(name, '/message:send', { message }, { ...bearer(by), 'a2a-version': '1.0' });
  },
  'ag-ui': (by, name, skill) =>
    atHost(name, '/ag-ui', { threadId: crypto.randomUUID(), runId: crypto.randomUUID(), messages: [], forwardedProps: { skill, args: {} } }, bearer(by)),
  run: (by, name, skill_name) =>
    told(by.person.client.agents.startRun({ params: { name, skill_name }, headers: {}, body: {} }).then(({ run_id }) => ended(by, name, run_id))),
  chat: (by, agent, skill) =>
    told(by.person.client.chat.send({ headers: { prefer: 'wait=60' }, body: { agent, skill, args: {}, model: false } }).then((response) => response.text())),
  schedule: (by, agent, skill) =>
    told(
      (async () => {
        const { schedules } = by.person.client;
        const made = await schedules.create({ body: { cron: '0 0 1 1 *', target: { kind: 'skill', agent, skill, args: {} } } });
        const params = { schedule_id: made.schedule_id };
        const { run_id } = await schedules.run({ params });
        const said = run_id === null ? 'no run' : await ended(by, agent, run_id);
        await schedules.remove({ params });
        return said;
      })(),
    ),
};

/** In the spelling of TypeScript. */
const plain = (facts: Record<string, unknown> | null | undefined): Record<string, unknown> =>
  Object.fromEntries(Object.entries(facts ?? {}).map(([name, value]) => [name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()), value]));

describe.each(AGENTS)('%s', (name) => {
  test.each(Object.keys(WAYS))('by %s the owner is known, with all scopes; another account without', cites('auth.resolvers'), async (way) => {
    const by = WAYS[way] ?? expect.fail(`no way ${way}`);
    for (const skill of ['who', 'admin']) {
      const { seen, text } = await by(ada, name, skill);
      expect(plain(seen?.caller), text).toMatchObject({ kind: 'user', email: ada.email, scopes: ['admin'], trusted: true, agent: null });
      expect(text).not.toContain(ada.token);
      const { sub } = plain(seen?.caller);
      expect(plain(seen?.auth), text).toMatchObject(name.endsWith('key') ? { apiKeyId: sub, scopes: ['admin'] } : { sub, email: ada.email, scopes: ['admin'] });
    }
    const other = await by(ben, name, 'who');
    if (name.endsWith('key')) expect(other.seen, other.text).toBeUndefined();
    else expect(plain(other.seen?.caller), other.text).toMatchObject({ kind: 'user', email: ben.email, scopes: [], trusted: false });
    expect((await by(ben, name, 'admin')).seen).toBeUndefined();
  });

  test('by an agent of the same owner the person is known, and the agent between', async () => {
    for (const between of ['ts-people', 'py-people']) {
      const { seen, text } = await told(
        ada.person.client.agents.invoke({ params: { name: between, skill_name: 'pass' }, body: { to: name } }).then((response) => response.text()),
      );
      expect(plain(seen?.caller), text).toMatchObject({ kind: 'user', email: ada.email, agent: between });
    }
  });

  test('by its own key, and by nobody', async () => {
    const key = await atHost(name, '/invoke/who', {}, { authorization: 'Bearer theirs' });
    if (name.endsWith('key')) expect(plain(key.seen?.auth), key.text).toMatchObject({ apiKeyId: 'configured' });
    else expect(key.text).toMatch(/^401 /);
    expect((await atHost(name, '/invoke/who', {}, {})).text).toMatch(/^401 /);
  });
});

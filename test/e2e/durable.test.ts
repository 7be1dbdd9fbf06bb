// What outlasts machines, with two agents of two people in real ones: waits, calls that are held, secrets,
// schedules, streams, signed logs.
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { verifyAsync } from '@noble/ed25519';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { CredentialStore } from '#cli/login/credentials.ts';
import { ApiError } from '#contract/client.ts';
import { RunOut } from '#contract/runs/runs.ts';
import { TurnOut } from '#contract/conversation/chat.ts';
import { verifySession } from '#contract/wire/session.ts';
import { hostRuntime } from '#drivers/runtime/client.ts';
import type { AgentRuntime, InstanceStatus } from '#drivers/runtime/port.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { tlsService } from '../support/tls.ts';
import { type Person, signedIn } from '#stack/demo/person.ts';
import { processesIn, signal } from '#stack/process.ts';
import { places } from '#stack/settings.ts';
import { type Event, follow } from '../chaos/persistent.ts';
import { type Installation, installation, ok, repository, statusOf } from './installation.ts';

// They begin with a letter that is rare in memory, which makes searching it quick.
const secrets = {
  TOKEN: `~tok-${randomBytes(16).toString('hex')}`,
  LEDGER: `~led-${randomBytes(16).toString('hex')}`,
  /** At the provider of the model, which the machine never sees. */
  MODEL: `~key-${randomBytes(16).toString('hex')}`,
};
const closers: (() => unknown)[] = [];

let i: Installation;
let ada: Person;
let ben: Person;
let runtime: AgentRuntime;
let scheduleId: string;
let provider: Provider;
let heard: { ledger: IncomingMessage[]; mirror: IncomingMessage[] };

beforeAll(async () => {
  const services = await listening();
  provider = await startProvider();
  closers.push(() => provider.close());
  i = await installation({
    SVC_PAUSE_AFTER_SECONDS: '1',
    SVC_SUSPEND_AFTER_SECONDS: '2',
    SVC_LLM_LOCAL_HOSTS: provider.host,
    ...services,
  });
  ok(await i.stack('up'));
  const home = join(i.home, '..', 'ben');
  await Promise.all([i.svc('login', '--local', 'ada@svc.local').then(ok), i.svcAs(home, 'login', '--local', 'ben@svc.local').then(ok)]);
  [ada, ben] = await Promise.all([signedIn(i.baseUrl, i.home), signedIn(i.baseUrl, home)]);
  runtime = hostRuntime({ socketPath: places(i.stateDir).hostSocket });
  await ada.client.agents.register({ body: { name: 'keeper' } });
  const inject = {
    host: 'ledger.internal',
    header: 'authorization',
    scheme: 'Bearer',
  };
  await ada.client.agentSecrets.upsert({
    params: { name: 'keeper' },
    body: { key: 'TOKEN', value: secrets.TOKEN },
  });
  await ada.client.agentSecrets.upsert({
    params: { name: 'keeper' },
    body: { key: 'LEDGER', value: secrets.LEDGER, inject },
  });
  await ada.client.llmCreds.put({
    body: { name: 'main', provider: 'openai_compatible', base_url: provider.url, api_key: secrets.MODEL, model: 'm-1' },
  });
  const templates = join(repository, 'test/e2e/templates');
  await Promise.all([i.svc('deploy', join(templates, 'keeper')).then(ok), i.svcAs(home, 'deploy', join(templates, 'scribe')).then(ok)]);
});
afterAll(async () => {
  await i?.destroy();
  for (const close of closers) await close();
});

/** Two services inside the house: one that speaks TLS under an authority of its own, one that does not. */
async function listening(): Promise<Record<string, string>> {
  heard = { ledger: [], mirror: [] };
  const ledger = await tlsService('ledger.internal', (req, res) => {
    heard.ledger.push(req);
    res
      .writeHead(req.url === '/moved' ? 302 : 200, {
        location: 'http://mirror.internal/moved',
      })
      .end('the ledger');
  });
  const mirror = createServer((req, res) => {
    heard.mirror.push(req);
    res.end('the mirror');
  });
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
  // Safe: it listens on a port, not on a path.
  const { port } = mirror.address() as AddressInfo;
  const authorities = `${ledger.caFile}.all`;
  const known = process.env['NODE_EXTRA_CA_CERTS'];
  await writeFile(authorities, [known && (await readFile(known, 'utf8')), await readFile(ledger.caFile, 'utf8')].filter(Boolean).join('\n'));
  closers.push(
    () => ledger.close(),
    () => mirror.close(),
    () => rm(authorities, { force: true }),
  );
  const services = {
    'ledger.internal': `127.0.0.1:${ledger.port}`,
    'mirror.internal': `127.0.0.1:${port}`,
  };
  return {
    NODE_EXTRA_CA_CERTS: authorities,
    SVC_INTERNAL_SERVICES: JSON.stringify(services),
  };
}

const machineOf = async (agent: string): Promise<InstanceStatus> => {
  const found = (await runtime.instances()).find((one) => one.agent === agent);
  if (!found) throw new Error(`${agent} has no machine`);
  return found;
};
const asleep = (agent: string): Promise<void> =>
  vi.waitFor(async () => expect((await machineOf(agent)).tier).toBe('suspended'), { timeout: 60_000, interval: 200 });

const call = async (agent: string, skill: string, args: Record<string, unknown>): Promise<unknown> =>
  (
    await ada.client.agents.invoke({
      params: { name: agent, skill_name: skill },
      body: args,
    })
  ).json();
const start = (skill: string, args: Record<string, unknown>) =>
  ada.client.agents.startRun({
    params: { name: 'keeper', skill_name: skill },
    headers: {},
    body: args,
  });
const lookAt = async ({ agent, run_id }: { agent: string; run_id: string }) =>
  RunOut.parse(await (await ada.client.agents.run({ params: { name: agent, run_id } })).json());
const ended = (run: { agent: string; run_id: string }, state: string) =>
  vi.waitFor(
    async () => {
      const now = await lookAt(run);
      expect(now).toMatchObject({ state });
      return now;
    },
    { timeout: 60_000, interval: 100 },
  );
const waitOf = (run: { agent: string; run_id: string }, kind: string) =>
  vi.waitFor(
    async () => {
      const wait = (await lookAt(run)).waits.find((one) => one.kind === kind);
      if (!wait) throw new Error(`${run.run_id} does not wait for a ${kind}`);
      return wait.wait_id;
    },
    { timeout: 60_000, interval: 100 },
  );
const statusOfCall = (answer: Promise<unknown>): Promise<number> =>
  answer.then(
    () => 200,
    (error: unknown) => (error instanceof ApiError ? error.status : Promise.reject(error)),
  );

/** A run that got a grant and now waits for an answer, its machine asleep on disk. */
async function keptWaiting(prefix: string): Promise<{ run: z.infer<typeof RunOut>; question: string; grant: string }> {
  const run = await start('keep', { prefix });
  await ada.client.chat.decideScope({
    params: { approval_id: await waitOf(run, 'scope_request') },
    body: { decision: 'approve' },
  });
  const question = await waitOf(run, 'question');
  const { items } = await ada.client.grants.list();
  const grant = items.find(({ outputs_prefix }) => outputs_prefix?.startsWith(prefix));
  if (grant?.state !== 'active') throw new Error(`no grant for ${prefix}: ${JSON.stringify(items)}`);
  await asleep('keeper');
  return { run, question, grant: grant.grant_id };
}
const stateOfGrant = async (grant_id: string): Promise<string> => (await ada.client.grants.get({ params: { grant_id } })).state;

test('what an agent needs of its caller is asked for before anything runs, in a call and in a relayed one', async () => {
  await expect(call('scribe', 'write', { text: 'too early' })).rejects.toMatchObject({ status: 409, code: 'setup_required' });
  const { refused } = (await call('keeper', 'relay', {
    text: 'too early',
  })) as { refused: string };
  expect(refused).toMatch(/^setup_required: /);
  ok(await i.svc('setup', 'scribe', 'signature=Ada'));
  expect(await call('scribe', 'write', { text: 'now' })).toEqual({
    line: 'now (Ada)',
    written: 1,
  });
  // It comes due while the rest is tried.
  const target = { kind: 'skill' as const, agent: 'scribe', skill: 'ring' };
  ({ schedule_id: scheduleId } = await ada.client.schedules.create({
    body: { cron: '* * * * *', target },
  }));
});

test('a secret that the way out adds reaches its host and no other, and is nowhere in the machine; one given at the start is', async () => {
  expect(
    await call('keeper', 'fetch', {
      url: 'http://ledger.internal.svc-inject.internal/entries',
    }),
  ).toMatchObject({ status: 200, text: 'the ledger' });
  expect(
    await call('keeper', 'fetch', {
      url: 'http://ledger.internal.svc-inject.internal/moved',
    }),
  ).toMatchObject({ status: 200, text: 'the mirror' });
  expect(
    await call('keeper', 'fetch', {
      url: 'http://mirror.internal.svc-inject.internal/',
    }),
  ).toMatchObject({
    status: 403,
    text: expect.stringContaining('mirror.internal.svc-inject.internal is refused'),
  });
  const lines = await runtime.logs((await machineOf('keeper')).instance_id);
  expect(lines.map(({ text }) => text)).toContainEqual(expect.stringContaining('mirror.internal.svc-inject.internal is refused'));
  expect(heard.ledger.map(({ url, headers }) => [url, headers.host, headers.authorization])).toEqual([
    ['/entries', 'ledger.internal', `Bearer ${secrets.LEDGER}`],
    ['/moved', 'ledger.internal', `Bearer ${secrets.LEDGER}`],
  ]);
  expect(heard.mirror.map(({ url, rawHeaders }) => [url, rawHeaders.join(' ').includes('~led-')])).toEqual([['/moved', false]]);

  const backwards = [secrets.TOKEN, secrets.LEDGER].map((value) => value.split('').reverse().join(''));
  const found = await call('keeper', 'search', { backwards });
  // The first shows that the search can find.
  expect(found).toMatchObject({
    held: secrets.TOKEN.length,
    environments: [0, 0],
    files: [0, 0],
    memory: [expect.any(Number), 0],
  });
  expect((found as { memory: number[] }).memory[0]).toBeGreaterThan(0);
  await asleep('keeper');
  const memory = await readFile(join(places(i.stateDir).machines, (await machineOf('keeper')).instance_id, 'machine', 'memory'));
  expect([memory.includes(secrets.TOKEN), memory.includes(secrets.LEDGER)]).toEqual([true, false]);
});

test('a model answers an agent in its machine, by ctx.llm and by a plain request; the key is nowhere in the machine, its logs or the trace', async () => {
  const marker = `~ask-${randomBytes(16).toString('hex')}`;
  const said = provider.words.join('');
  const { run_id } = await start('think', { about: marker });
  expect(await ended({ agent: 'keeper', run_id }, 'succeeded')).toMatchObject({ result: { said, plainly: said } });
  expect(provider.asked.map(({ headers, body }) => [headers.authorization, JSON.stringify(body).includes(marker)])).toEqual([
    [`Bearer ${secrets.MODEL}`, true],
    [`Bearer ${secrets.MODEL}`, true],
  ]);
  const found = (await call('keeper', 'search', { backwards: [secrets.MODEL.split('').reverse().join('')] })) as Record<string, number[]>;
  expect(found).toMatchObject({ environments: [0], files: [0], memory: [0] });
  const { stdout: trace } = ok(await i.svc('trace', run_id, '--json'));
  expect(trace).toContain('m-1');
  expect(trace).not.toContain(secrets.MODEL);
  await asleep('keeper');
  const machine = await machineOf('keeper');
  const memory = await readFile(join(places(i.stateDir).machines, machine.instance_id, 'machine', 'memory'));
  // The first shows that the search can find.
  expect([memory.includes(marker), memory.includes(secrets.MODEL)]).toEqual([true, false]);
  const folders = [places(i.stateDir).logs, join(places(i.stateDir).machines, machine.instance_id)];
  for (const folder of folders)
    for (const name of await readdir(folder, { recursive: true })) {
      const text = await readFile(join(folder, name)).catch(() => undefined);
      if (text?.includes(secrets.MODEL)) throw new Error(`${name} has the key`);
    }
});

test("an agent at work in a thread asks before it calls somebody else's, and sleeps on disk until that is decided", async () => {
  const relay = async (text: string) => {
    const turn = TurnOut.parse(
      await (
        await ada.client.chat.send({
          body: { message: `@keeper.relay {"text": "${text}"}` },
          headers: {},
        })
      ).json(),
    );
    expect(turn).toMatchObject({
      state: 'waiting',
      waits: [
        {
          kind: 'handoff_approval',
          agent: 'keeper',
          title: 'keeper wants to call scribe.write',
        },
      ],
    });
    await asleep('keeper');
    const [wait] = turn.waits;
    return {
      thread_id: turn.thread_id,
      approval_id: wait?.wait_id ?? '',
      run: { agent: 'keeper', run_id: wait?.run_id ?? '' },
    };
  };
  const kindsOf = async (thread_id: string): Promise<string[]> => {
    const activity = await ada.client.chatThreads.activity({
      params: { thread_id },
    });
    const { items } = (await activity.json()) as { items: { kind: string }[] };
    return items.map(({ kind }) => kind);
  };

  const yes = await relay('approved');
  expect(
    await statusOfCall(
      ben.client.chat.decideHandoff({
        params: yes,
        body: { decision: 'approve' },
      }),
    ),
  ).toBe(404);
  await ada.client.chat.decideHandoff({
    params: yes,
    body: { decision: 'approve' },
  });
  expect((await ended(yes.run, 'succeeded')).result).toEqual({
    said: { line: 'approved (Ada)', written: 2 },
    refused: null,
  });
  expect(
    await statusOfCall(
      ada.client.chat.decideHandoff({
        params: yes,
        body: { decision: 'deny' },
      }),
    ),
  ).toBe(409);
  await vi.waitFor(async () => expect(await kindsOf(yes.thread_id)).toEqual(expect.arrayContaining(['wait.opened', 'wait.approved', 'turn.ended'])));

  const no = await relay('denied');
  await ada.client.chat.decideHandoff({
    params: no,
    body: { decision: 'deny', reason: 'not him' },
  });
  const { result } = await ended(no.run, 'succeeded');
  expect(result).toMatchObject({
    said: null,
    refused: expect.stringMatching(/^call_denied: .*not him/),
  });
  // The denied one never ran.
  expect(await call('scribe', 'write', { text: 'third' })).toMatchObject({
    written: 3,
  });
});

test('a run whose machine sleeps on disk is cancelled: its grant is revoked, its question withdrawn, and its skill learns of it', async () => {
  const { run, question, grant } = await keptWaiting('asleep');
  await ada.client.workLedger.cancel({ params: { job_id: run.job_id ?? '' } });
  expect((await ended(run, 'cancelled')).receipt_id).toMatch(/^rcp_/);
  expect(await stateOfGrant(grant)).toBe('revoked');
  await vi.waitFor(async () => expect(await call('keeper', 'endings', {})).toEqual(['CancelledByCaller']), { timeout: 30_000 });
  expect([409, 410]).toContain(
    await statusOfCall(
      ada.client.chat.answerQuestion({
        params: { question_id: question },
        body: { answer: 'late' },
      }),
    ),
  );
});

test('what the owner of an agent is asked waits only for them; they read what their agent kept, and who asked does not', async () => {
  const { user_id: adasId } = await ada.client.auth.me({});
  const publish = (text: string, of: 'owner' | { people: string[] } | { role: 'admin' }) =>
    ada.client.agents.startRun({ params: { name: 'scribe', skill_name: 'publish' }, headers: {}, body: { text, of } });
  const run = await publish('a line', 'owner');
  const question = await waitOf(run, 'question');
  expect((await lookAt(run)).waits).toMatchObject([{ prompt: 'The owner of the agent is asked.', recipient: { of: 'owner', you: false } }]);
  const answer = { params: { question_id: question }, body: { answer: 'yes' } };
  await expect(ada.client.chat.answerQuestion(answer)).rejects.toMatchObject({ status: 404 });
  await ben.client.chat.answerQuestion(answer);
  expect(await ended(run, 'succeeded')).toMatchObject({ result: { said: 'yes' } });
  const kept = { params: { name: 'scribe', namespace: 'default', key: 'a line' }, query: { shared: true } } as const;
  expect(await ben.client.agentMemory.get(kept)).toMatchObject({ value: { said: 'yes', by: 'ada@svc.local' } });
  await expect(ada.client.agentMemory.get(kept)).rejects.toMatchObject({ status: 404 });
  // A person owns it: it names no stranger, and nobody has a role.
  for (const whom of [{ people: [adasId] }, { role: 'admin' as const }])
    expect((await ended(await publish('another', whom), 'failed')).error).toMatchObject({ code: 'nobody_to_ask' });
});

test('a run whose machine is gone is cancelled as well; what the agent remembers outlives the machine', async () => {
  expect(await call('keeper', 'note', { word: 'before' })).toEqual({
    before: null,
  });
  const { run, grant } = await keptWaiting('gone');
  const { instance_id } = await machineOf('keeper');
  await call('keeper', 'endings', {});
  const machines = processesIn('qemu-', join(places(i.stateDir).machines, instance_id));
  expect(machines.map((machine) => signal(machine, 'SIGKILL'))).toEqual([true]);
  await ada.client.workLedger.cancel({ params: { job_id: run.job_id ?? '' } });
  await ended(run, 'cancelled');
  expect(await stateOfGrant(grant)).toBe('revoked');
  // Another life of the agent, with nothing of the one before but its memory.
  expect(await call('keeper', 'endings', {})).toEqual([]);
  expect(await call('keeper', 'note', { word: 'after' })).toEqual({
    before: 'before',
  });
  const place = {
    params: { name: 'keeper', namespace: 'default', key: 'word' },
  };
  expect(await ada.client.agentMemory.get(place)).toMatchObject({
    value: 'after',
    version: 2,
  });
  expect(await statusOfCall(ben.client.agentMemory.get(place))).toBe(404);
});

test("a session's log verifies with the published keys only, and not with a word changed", async () => {
  const session = await ada.client.agentSessions.start({
    params: { name: 'keeper' },
    body: { skill: 'count', args: { to: 3, ms: 1 } },
  });
  const get = { params: { session_id: session.session_id } };
  const log = await (await ada.client.agentSessions.get(get)).text();
  const { keys } = await ada.client.public.receiptKeys();
  const check = (text: string) =>
    verifySession(
      text,
      (kid) => {
        const key = keys.find((one) => one.kid === kid);
        return key && new Uint8Array(Buffer.from(key.public_key, 'base64'));
      },
      verifyAsync,
    );
  const { seal, events } = await check(log);
  expect(seal).toMatchObject({ state: 'succeeded', events: events.length });
  expect(events.filter(({ kind }) => kind === 'run.text_delta')).toHaveLength(3);
  await expect(check(log.replace('"2 "', '"4 "'))).rejects.toThrow(/was changed/);
  expect(await statusOfCall(ben.client.agentSessions.get(get))).toBe(404);
});

test('a schedule came due, ran in a machine, and its run has a receipt that verifies', async () => {
  const due = await vi.waitFor(
    async () => {
      const { items } = await ada.client.schedules.list();
      const found = items.find(({ schedule_id }) => schedule_id === scheduleId);
      expect(found?.last_run).toMatchObject({
        cause: 'time',
        state: 'succeeded',
        error: null,
      });
      return found?.last_run;
    },
    { timeout: 90_000, interval: 500 },
  );
  await ada.client.schedules.update({
    params: { schedule_id: scheduleId },
    body: { paused: true },
  });
  const run = await lookAt({ agent: 'scribe', run_id: due?.run_id ?? '' });
  expect(run).toMatchObject({
    state: 'succeeded',
    result: { rung: true },
    job_id: due?.job_id,
  });
  ok(await i.svc('receipt', 'verify', run.receipt_id ?? '', '--agent', 'scribe'));
});

test('down and up again: a run that waits and one that streams go on with the next line, in the same machine', async () => {
  const waiting = await keptWaiting('over-night');
  const counting = await start('count', { to: 60, ms: 250 });
  const seen: Event[] = [];
  const token = (await new CredentialStore(join(i.home, '.svc')).get(i.baseUrl))?.access_token ?? '';
  const isEnd = ({ kind }: Event): boolean => kind === 'job.succeeded' || kind === 'job.failed';
  const following = follow(`${i.baseUrl}/v1/agents/keeper/api/runs/${counting.run_id}`, token, (event) => void seen.push(event), isEnd);
  const deltas = (events: Event[]) => events.flatMap(({ kind, payload }) => (kind === 'run.text_delta' ? [payload['text']] : []));
  await vi.waitFor(() => expect(deltas(seen).length).toBeGreaterThan(2), {
    timeout: 30_000,
  });
  ok(await i.stack('down'));
  expect((await statusOf(i)).filter(({ pid }) => pid !== undefined)).toEqual([]);
  const before = deltas(seen).length;
  expect(before).toBeLessThan(60);
  ok(await i.stack('up'));
  const { events } = await following;
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1));
  expect(deltas(events)).toEqual(Array.from({ length: 60 }, (_, n) => `${n + 1} `));
  expect((await ended(counting, 'succeeded')).result).toEqual({ sum: 1830 });
  expect(await lookAt(waiting.run)).toMatchObject({ state: 'waiting' });
  await ada.client.chat.answerQuestion({
    params: { question_id: waiting.question },
    body: { answer: 'yes' },
  });
  expect((await ended(waiting.run, 'succeeded')).result).toEqual({
    answer: 'yes',
    steps: 2,
  });
});

test('everything is killed at once, then taken down: no machine is left, and what waited in one goes on when it is up again', async () => {
  const { run, machines } = places(i.stateDir);
  const waiting = await keptWaiting('crash');
  const supervisor = Number(await readFile(join(run, 'supervisor.pid'), 'utf8'));
  const parts = (await statusOf(i)).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  // Its machine is awake when its host goes.
  await call('keeper', 'endings', {});
  for (const pid of [supervisor, ...parts]) process.kill(pid, 'SIGKILL');
  expect(processesIn('qemu-', machines)).not.toEqual([]);
  ok(await i.stack('down'));
  expect(processesIn('qemu-', i.stateDir)).toEqual([]);
  ok(await i.stack('up'));
  await ada.client.chat.answerQuestion({
    params: { question_id: waiting.question },
    body: { answer: 'still' },
  });
  expect((await ended(waiting.run, 'succeeded')).result).toEqual({
    answer: 'still',
    steps: 2,
  });
});

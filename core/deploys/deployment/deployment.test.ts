import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { greeterFiles, tarball } from '#test/support/project.ts';
import { newId } from '../../kernel/ids.ts';
import { appendEvents } from '../../jobs/append-event.ts';
import type { LogLine } from '#drivers/runtime/port.ts';
import { getMine } from '../../agents/agent/get.ts';
import { registerAgent } from '../../agents/agent/register.ts';
import { acceptTarball, type TarballPart } from './accept.ts';
import { checkCard } from './card.ts';
import { prepareInstance } from './instance.ts';
import { agentUptime } from '../uptime/read.ts';
import { noteHealth } from './note-health.ts';
import { deploymentLogs, getDeployment, listDeployments } from './read.ts';
import { reapHost } from './reap.ts';
import { redeploySource } from './redeploy.ts';
import { advance, deploymentRow, endDeployment, goLive, dequeueDeployment } from './stages.ts';

/** Builders: these tests are about one agent at a time; the line has its own (line.test.ts). */
const MANY = 1000;

let t: TestContext;
let ada: TestUser;
let ben: TestUser;

beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  ben = await t.user('ben');
});
afterAll(() => t.close());

async function* form(source: Buffer | undefined, fields: Record<string, string> = {}): AsyncGenerator<TarballPart> {
  for (const [name, value] of Object.entries(fields)) yield { kind: 'field', name, value };
  if (source) yield { kind: 'file', name: 'source', stream: Readable.from(source, { objectMode: false }) };
}

const deploy = async (user: TestUser, name: string, version = '1.0.0', fields: Record<string, string> = {}) =>
  acceptTarball(user, form(await tarball(greeterFiles(name, version)), fields));

const cardOf = (name: string, version = '1.0.0') => ({
  name,
  description: 'Greets people',
  version,
  skills: [{ id: 'greet', name: 'greet', input_schema: {}, output_schema: {} }],
  required_secrets: ['TOKEN'],
});

/** Takes a queued deployment to live by its rows, as the workflow's activities do. */
async function bringLive(deployId: string, name: string, version = '1.0.0', image = 'sha256:1'): Promise<string> {
  expect(await dequeueDeployment(t.ctx, deployId, MANY)).toBe('moved');
  expect(await advance(t.ctx, deployId, 'building', 'starting', { image, image_bytes: 1 })).toBe('moved');
  const instance = newId('ins');
  const { agent_id } = (await t.ctx.db('deployments').where({ deploy_id: deployId }).first('agent_id')) ?? { agent_id: '' };
  await t.ctx.db('instances').insert({ instance_id: instance, deploy_id: deployId, agent_id, node: 'local', state: 'starting', api_key_sealed: 'x' });
  expect(await advance(t.ctx, deployId, 'starting', 'verifying')).toBe('moved');
  expect(await goLive(t.ctx, deployId, instance, checkCard(cardOf(name, version), { name, version, entrypoint: 'agent:Greeter' }).card)).toBe('moved');
  return instance;
}

describe('taking in a project', () => {
  test('agent, commit, deployment, job, outbox row and audit row come together', cites('agents.fromTarball', 'agents.deployment'), async () => {
    const out = await deploy(ada, 'greeter');
    expect(out).toMatchObject({ name: 'greeter', number: 1, state: 'queued', url: 'http://greeter.localhost:8080' });
    const d = await getDeployment(ada, { name: 'greeter', deploy_id: out.deploy_id });
    expect(d.source_commit).toMatch(/^[0-9a-f]{40}$/);
    expect(d.source_sha256).toBe(out.source_sha256);
    expect(await t.ctx.db('outbox').where({ workflow_id: `deploy:${out.deploy_id}`, kind: 'start' })).toHaveLength(1);
    expect(await t.ctx.db('job_events').where({ job_id: out.job_id })).toMatchObject([{ seq: 1, kind: 'job.queued' }]);
    expect(await t.ctx.db('audit_log').where({ action: 'agent.deploy', owner_id: ada.actor.user_id })).toHaveLength(1);
    expect(await getMine(ada, { name: 'greeter' })).toMatchObject({ state: 'deploying', visibility: 'unlisted', deploy_count: 1 });
  });

  test("somebody else's name is refused, and nothing of the upload stays", async () => {
    const before = await t.ctx.db('deployments').count('* as n').first();
    await expect(deploy(ben, 'greeter')).rejects.toMatchObject({ code: 'name_taken' });
    expect(await t.ctx.db('deployments').count('* as n').first()).toEqual(before);
  });

  test.each([
    ['no file', () => undefined, {}, 'source_missing'],
    ['not a tar', () => Buffer.from('junk'), {}, /^source_/],
    ['no svc.yaml', () => tarball({ 'agent.ts': '' }), {}, 'manifest_missing'],
    ['svc.yaml that is not YAML', () => tarball({ 'svc.yaml': 'a: [', 'agent.ts': '' }), {}, 'manifest_invalid'],
    ['svc.yaml with a wrong name', () => tarball({ 'svc.yaml': 'name: Bad Name\nversion: 1.0.0\nentrypoint: agent:A\n' }), {}, 'manifest_invalid'],
    [
      'expose.public in quotes',
      () => tarball({ 'svc.yaml': 'name: a\nversion: 1.0.0\nentrypoint: agent:A\nexpose: { public: "yes" }\n' }),
      {},
      'listing_declaration_invalid',
    ],
    [
      'an entry module that does not exist',
      () => tarball({ 'svc.yaml': 'name: aa\nversion: 1.0.0\nentrypoint: main:A\n', 'agent.ts': '' }),
      {},
      'entrypoint_missing',
    ],
    [
      'a service of Node',
      () => tarball({ 'svc.yaml': 'name: ee\nversion: 1.0.0\nentrypoint: agent:A\nservice: { openapi: openapi.yaml }\n', 'agent.ts': '' }),
      {},
      'manifest_invalid',
    ],
    ['a form name that differs', () => tarball(greeterFiles('cc')), { name: 'dd' }, 'name_mismatch'],
  ])('%s is refused with what to do', async (_what, source, fields, code) => {
    const bytes = await source();
    const refusal = await acceptTarball(ada, form(bytes, fields)).then(
      () => undefined,
      (error: { code: string; message: string }) => error,
    );
    expect(refusal?.code).toMatch(code);
    expect(refusal?.message.length).toBeGreaterThan(20);
  });
});

describe('order', () => {
  test('two deployments of one agent take effect in their order, never mixed', cites('agents.deployments'), async () => {
    const [first, second] = [await deploy(ada, 'ordered', '1.0.0'), await deploy(ada, 'ordered', '2.0.0')];
    expect(await dequeueDeployment(t.ctx, second.deploy_id, MANY)).toBe('wait');
    const old = await bringLive(first.deploy_id, 'ordered', '1.0.0');
    expect(await getMine(ada, { name: 'ordered' })).toMatchObject({ state: 'live', version: '1.0.0' });
    await bringLive(second.deploy_id, 'ordered', '2.0.0');
    expect(await getMine(ada, { name: 'ordered' })).toMatchObject({ state: 'live', version: '2.0.0', skills: ['greet'] });
    expect(await t.ctx.db('instances').where({ instance_id: old }).first()).toMatchObject({ state: 'draining' });
    expect((await listDeployments(ada, { name: 'ordered', limit: 10 })).map((d) => d.state)).toEqual(['live', 'superseded']);
  });

  test("the first one's end signals the next one", async () => {
    const [first, second] = [await deploy(ada, 'signalled', '1.0.0'), await deploy(ada, 'signalled', '2.0.0')];
    await endDeployment(t.ctx, first.deploy_id, 'cancelled', { code: 'cancelled', message: 'by its owner' });
    expect(await t.ctx.db('outbox').where({ workflow_id: `deploy:${second.deploy_id}`, kind: 'signal', name: 'turn' })).toHaveLength(1);
    expect(await dequeueDeployment(t.ctx, second.deploy_id, MANY)).toBe('moved');
  });

  test('a repeated step changes nothing; a late one is refused', async () => {
    const { deploy_id, job_id } = await deploy(ada, 'twice');
    expect(await dequeueDeployment(t.ctx, deploy_id, MANY)).toBe('moved');
    expect(await dequeueDeployment(t.ctx, deploy_id, MANY)).toBe('moved');
    await endDeployment(t.ctx, deploy_id, 'failed', { code: 'build_failed', message: 'agent.ts:1: no' });
    await endDeployment(t.ctx, deploy_id, 'cancelled', { code: 'cancelled', message: 'late' });
    expect(await advance(t.ctx, deploy_id, 'building', 'starting')).toBe('ended');
    expect(await goLive(t.ctx, deploy_id, 'ins_none', checkCard(cardOf('twice'), { name: 'twice', version: '1.0.0', entrypoint: 'a:B' }).card)).toBe('ended');
    expect(await getDeployment(ada, { name: 'twice', deploy_id })).toMatchObject({ state: 'failed', error: { code: 'build_failed' } });
    const kinds = (await t.ctx.db('job_events').where({ job_id }).orderBy('seq')).map((e) => e.kind);
    expect(kinds).toEqual(['job.queued', 'job.running', 'stage', 'stage', 'job.failed']);
  });

  test('a failed deployment leaves the one before it serving', async () => {
    await bringLive((await deploy(ada, 'steady', '1.0.0')).deploy_id, 'steady', '1.0.0');
    const bad = await deploy(ada, 'steady', '2.0.0');
    await dequeueDeployment(t.ctx, bad.deploy_id, MANY);
    await endDeployment(t.ctx, bad.deploy_id, 'failed', { code: 'build_failed', message: 'no' });
    expect(await getMine(ada, { name: 'steady' })).toMatchObject({
      state: 'live',
      version: '1.0.0',
      last_deployment: { state: 'failed', error: { code: 'build_failed' } },
    });
  });
});

describe('going back', () => {
  test('the source of an earlier deployment goes live as a new one, from its image where that is kept; never past one under way', async () => {
    const first = await deploy(ada, 'backwards', '1.0.0');
    await bringLive(first.deploy_id, 'backwards', '1.0.0');
    const second = await deploy(ada, 'backwards', '2.0.0');
    await bringLive(second.deploy_id, 'backwards', '2.0.0', 'sha256:2');
    await expect(redeploySource(ben, { name: 'backwards', deploy_id: first.deploy_id })).rejects.toMatchObject({ code: 'agent_not_found' });
    const back = await redeploySource(ada, { name: 'backwards', deploy_id: first.deploy_id });
    expect(back).toMatchObject({ number: 3, state: 'queued', source_sha256: first.source_sha256 });
    expect(await getDeployment(ada, { name: 'backwards', deploy_id: back.deploy_id })).toMatchObject({ version: '1.0.0', image: 'sha256:1' });
    expect(await t.ctx.db('outbox').where({ workflow_id: `deploy:${back.deploy_id}`, kind: 'start' })).toHaveLength(1);
    await expect(redeploySource(ada, { name: 'backwards' })).rejects.toMatchObject({ code: 'deployment_under_way' });
    await bringLive(back.deploy_id, 'backwards', '1.0.0');
    expect(await getMine(ada, { name: 'backwards' })).toMatchObject({ version: '1.0.0', deploy_count: 3 });
    // One image beside the live one is kept, however often each was live.
    await bringLive((await deploy(ada, 'backwards', '3.0.0')).deploy_id, 'backwards', '3.0.0', 'sha256:3');
    const older = await redeploySource(ada, { name: 'backwards', deploy_id: second.deploy_id });
    expect(await getDeployment(ada, { name: 'backwards', deploy_id: older.deploy_id })).toMatchObject({ image: null, version: '2.0.0' });
    await endDeployment(t.ctx, older.deploy_id, 'cancelled', { code: 'cancelled', message: 'by its owner' });
    const kept = await redeploySource(ada, { name: 'backwards', deploy_id: first.deploy_id });
    expect(await getDeployment(ada, { name: 'backwards', deploy_id: kept.deploy_id })).toMatchObject({ image: 'sha256:1', version: '1.0.0' });
  });

  test('an agent that was never deployed or does not exist is refused with its own code', async () => {
    await registerAgent(ada, { name: 'empty-one', description: '', tags: [], visibility: 'unlisted', reuse_policy: 'closed' });
    await expect(redeploySource(ada, { name: 'empty-one' })).rejects.toMatchObject({ code: 'never_deployed' });
    await expect(redeploySource(ada, { name: 'empty-one', deploy_id: newId('dep') })).rejects.toMatchObject({ code: 'deployment_not_found' });
  });
});

describe('what must not break it', () => {
  test('a start that comes twice at once prepares one instance; one that comes after the end prepares none', async () => {
    const { deploy_id } = await deploy(ada, 'prepared');
    await dequeueDeployment(t.ctx, deploy_id, MANY);
    await advance(t.ctx, deploy_id, 'building', 'starting', { image: 'sha256:1', image_bytes: 1 });
    const row = await deploymentRow(t.ctx.db, deploy_id);
    const prepared = await Promise.all(['k1', 'k2', 'k3', 'k4'].map((key) => prepareInstance(t.ctx, row, 'local', key)));
    expect(new Set(prepared.map(({ start }) => `${start.instance_id} ${start.api_key}`)).size).toBe(1);
    await endDeployment(t.ctx, deploy_id, 'cancelled', { code: 'cancelled', message: 'by its owner' });
    await expect(prepareInstance(t.ctx, row, 'local', 'late')).rejects.toMatchObject({ code: 'deployment_ended' });
    expect(await t.ctx.db('instances').where({ deploy_id }).select('state')).toEqual([{ state: 'draining' }]);
  });

  test('a left-over start is drained when the deployment goes live, and reaped when it ended long ago; the host hears where runs are open', async () => {
    const { deploy_id } = await deploy(ada, 'leftover');
    const { agent_id } = await deploymentRow(t.ctx.db, deploy_id);
    const [left, orphan] = [newId('ins'), newId('ins')];
    await t.ctx.db('instances').insert({ instance_id: left, deploy_id, agent_id, node: 'local', state: 'starting', api_key_sealed: 'x' });
    await bringLive(deploy_id, 'leftover');
    expect(await t.ctx.db('instances').where({ instance_id: left }).first('state')).toEqual({ state: 'draining' });
    const failed = await deploy(ada, 'leftover', '2.0.0');
    await endDeployment(t.ctx, failed.deploy_id, 'failed', { code: 'build_failed', message: 'no' });
    await t.ctx
      .db('deployments')
      .where({ deploy_id: failed.deploy_id })
      .update({ ended_at: new Date(Date.now() - 600_000) });
    await t.ctx.db('instances').insert({ instance_id: orphan, deploy_id: failed.deploy_id, agent_id, node: 'local', state: 'starting', api_key_sealed: 'x' });
    const heard: { instances: string[]; with_runs?: string[] | undefined }[] = [];
    const runtime = {
      ...t.ctx.drivers.runtime,
      keepOnly: async (keep: (typeof heard)[number]) => (heard.push(keep), { stopped: [], deleted: [] }),
    };
    const reap = async () => {
      await reapHost({ ...t.ctx, drivers: { ...t.ctx.drivers, runtime } }, 'local');
      return heard.at(-1);
    };
    const first = await reap();
    expect(first?.instances).toContain(left);
    expect(first?.instances).not.toContain(orphan);
    expect(first?.with_runs).not.toContain(left);

    const run = { run_id: newId('run'), agent_id, agent_name: 'leftover', deploy_id, skill: 'greet', caller_kind: 'user', args: '{}', started_at: new Date() };
    const kind = { kind: 'started', state: 'queued' } as const;
    await t.ctx.db('runs').insert({ ...run, ...kind });
    expect((await reap())?.with_runs).not.toContain(left); // no machine has been asked yet
    await t.ctx.db('runs').where({ run_id: run.run_id }).update({ state: 'running', asked_process: 'prc_1' });
    expect((await reap())?.with_runs).toContain(left);
    await t.ctx.db('runs').where({ run_id: run.run_id }).update({ state: 'succeeded', ended_at: new Date() });
    expect((await reap())?.with_runs).not.toContain(left);
  });

  test('an agent that takes itself out of service is shown so, with its reason, until it is back', async () => {
    const { deploy_id } = await deploy(ada, 'patient');
    const instance_id = await bringLive(deploy_id, 'patient');
    let unwell: { reason: string; since: number } | undefined = { reason: 'the index is being rebuilt', since: Date.parse('2026-11-23T04:00:00Z') };
    const status = { agent: 'patient', deployment_id: deploy_id, image: '', tier: 'awake', started_at: 0, last_used_at: 0, memory_bytes: 0 } as const;
    const runtime = { ...t.ctx.drivers.runtime, instances: async () => [{ ...status, instance_id, unwell }] };
    const note = () => noteHealth({ ...t.ctx, drivers: { ...t.ctx.drivers, runtime } }, 'local');
    const shown = async () => (await getMine(ada, { name: 'patient' })).out_of_service;
    expect([await shown(), await note(), await note()]).toEqual([null, ['patient'], []]);
    expect(await shown()).toEqual({ reason: 'the index is being rebuilt', since: '2026-11-23T04:00:00.000Z' });
    unwell = { reason: 'a\u0000b\ud800', since: Date.parse('2026-11-23T04:00:00Z') };
    expect([await note(), await note()], 'noted once, as far as it can be stored').toEqual([['patient'], []]);
    expect((await shown())?.reason).toBe('a\ufffdb\ufffd');
    unwell = undefined;
    expect([await note(), await shown()]).toEqual([['patient'], null]);
    const { agent_id } = (await t.ctx.db('deployments').where({ deploy_id }).first('agent_id')) ?? { agent_id: '' };
    const audited = await t.ctx.db('audit_log').where({ target_id: agent_id }).whereLike('action', '%_service').orderBy('audit_id').select('action', 'details');
    expect(audited).toMatchObject([
      { action: 'agent.out_of_service', details: { name: 'patient', reason: 'the index is being rebuilt' } },
      { action: 'agent.out_of_service', details: { name: 'patient', reason: 'a\ufffdb\ufffd' } },
      { action: 'agent.back_in_service', details: { name: 'patient' } },
    ]);
    // The first look is counted, each change is kept; the second reason is of the same outage.
    const uptime = await agentUptime(ada, { name: 'patient' });
    expect(uptime.hours).toMatchObject([{ looks: 1, well: 0 }]);
    expect(uptime.changes).toMatchObject([{ is_well: true }, { is_well: false, reason: 'the index is being rebuilt' }]);
  });

  test('a database that goes away over the commit leaves the source for the deployment that may be there', async () => {
    const deleted: string[] = [];
    const storage = { ...ada.drivers.storage, delete: async (key: string) => void deleted.push(key) };
    const broken = new Proxy(ada.db, {
      get: (db, name, self) => (name === 'transaction' ? () => Promise.reject(new Error('connection lost')) : Reflect.get(db, name, self)),
    });
    const parts = async (): Promise<AsyncIterable<TarballPart>> => form(await tarball(greeterFiles('lost', '1.0.0')));
    await expect(acceptTarball({ ...ada, db: broken, drivers: { ...ada.drivers, storage } }, await parts())).rejects.toThrow('connection lost');
    expect(deleted).toEqual([]);
  });

  test('a manifest that would keep everybody waiting is refused by its size', async () => {
    const files = { ...greeterFiles('huge', '1.0.0'), 'svc.yaml': `name: huge\n# ${'x'.repeat(100_000)}\n` };
    await expect(acceptTarball(ada, form(await tarball(files)))).rejects.toMatchObject({ code: 'manifest_invalid' });
  });

  test("logs: the newest lines first, then what came after, with the agent's first line and without a gap", cites('agents.deploymentLogs'), async () => {
    const { deploy_id, job_id } = await deploy(ada, 'logged');
    const { agent_id } = await deploymentRow(t.ctx.db, deploy_id);
    await t.ctx.db('instances').insert({ instance_id: newId('ins'), deploy_id, agent_id, node: 'local', state: 'serving', api_key_sealed: 'x' });
    const agentLines: LogLine[] = [{ seq: 0, at: Date.now(), stream: 'stdout', text: 'agent 0' }];
    const logs = async (_id: string, { after = -1, limit = 1_000 }: { after?: number; limit?: number } = {}) =>
      agentLines.filter((l) => l.seq > after).slice(0, limit);
    const reader = { ...ada, drivers: { ...ada.drivers, runtime: { ...ada.drivers.runtime, logs } } };
    const events = (from: number) =>
      Array.from({ length: 10 }, (_, n) => ({ kind: 'log', payload: { at: Date.now(), stream: 'stdout', text: `line ${from + n}` } }));
    await appendEvents(t.ctx.db, job_id, events(0));
    const look = await deploymentLogs(reader, { name: 'logged', deploy_id, tail: 3 });
    expect(look.lines.map((l) => l.text)).toEqual(['line 8', 'line 9', 'agent 0']);
    await appendEvents(t.ctx.db, job_id, events(10));
    agentLines.push({ seq: 1, at: Date.now(), stream: 'stdout', text: 'agent 1' });
    const seen: string[] = [];
    for (let cursor = look.cursor, more = true; more;) {
      const next = await deploymentLogs(reader, { name: 'logged', deploy_id, tail: 4, cursor });
      seen.push(...next.lines.map((l) => l.text));
      more = next.lines.length > 0;
      cursor = next.cursor;
    }
    expect(seen.filter((text) => text.startsWith('line'))).toEqual(Array.from({ length: 10 }, (_, n) => `line ${10 + n}`));
    expect(seen.filter((text) => text.startsWith('agent'))).toEqual(['agent 1']);
  });
});

describe('the card', () => {
  const manifest = { name: 'greeter', version: '1.0.0', entrypoint: 'agent:Greeter' };
  test('is refused for options that would have no effect; what it may reach without the default denial is everything public', () => {
    const gpu = checkCard({ ...cardOf('greeter'), runtime: { resources: { gpu: 1 } } }, manifest);
    expect(gpu.fault).toMatchObject({ code: 'option_unsupported', message: expect.stringContaining('runtime.resources.gpu: no machine here has a GPU') });
    const open = checkCard({ ...cardOf('greeter'), runtime: { egress: { allow_hosts: ['a.example'], deny_internet_by_default: false } } }, manifest);
    expect(open).toMatchObject({ egress: { allow_hosts: ['a.example', '*'] }, differs: true });
    expect(open.fault).toBeUndefined();
    const env = checkCard({ ...cardOf('greeter'), required_env: ['REGION', 'TOKEN'] }, manifest);
    expect(env.warnings.map(({ message }) => message)).toEqual([expect.stringContaining(' TOKEN,'), expect.stringContaining(' REGION,')]);
  });

  test('must be the agent that svc.yaml announced', () => {
    expect(checkCard(cardOf('greeter'), manifest).fault).toBeUndefined();
    expect(checkCard(cardOf('greeter', '9.9.9'), manifest).fault).toMatchObject({ code: 'card_mismatch' });
    expect(checkCard(cardOf('other'), manifest).fault).toMatchObject({ code: 'card_mismatch' });
    expect(checkCard({ ...cardOf('greeter'), skills: [] }, manifest).fault).toMatchObject({ code: 'no_skills' });
    const taken = cardOf('greeter').skills.map((skill) => ({ ...skill, id: 'answer_question' }));
    expect(checkCard({ ...cardOf('greeter'), skills: taken }, manifest).fault).toMatchObject({ code: 'skill_name_taken' });
    expect(checkCard('junk', manifest).fault).toMatchObject({ code: 'card_invalid' });
    expect(checkCard({ ...cardOf('greeter'), runtime: { resources: { memory: '64Gi' } } }, manifest).fault).toMatchObject({ code: 'resources_too_large' });
  });

  test('whatever a guest writes into it, it is stored or refused', () => {
    const odd = checkCard({ ...cardOf('greeter'), description: 'a\0b\ud800' }, manifest);
    expect(odd.fault).toBeUndefined();
    expect(odd.card.description).toBe('a\ufffdb\ufffd');
    expect(checkCard({ ...cardOf('greeter'), description: 'x'.repeat(1_000_000) }, manifest).fault).toMatchObject({ code: 'card_invalid' });
    expect(checkCard(JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), manifest).fault).toMatchObject({ code: 'card_invalid' });
    expect(checkCard({ ...cardOf('greeter'), runtime: { resources: { max_runtime_seconds: 1e12 } } }, manifest).fault).toMatchObject({
      code: 'resources_too_large',
    });
  });

  test('missing secrets are warnings; other limits than the defaults mean a second start', () => {
    expect(checkCard(cardOf('greeter'), manifest).warnings).toEqual([{ code: 'secret_missing', message: expect.stringContaining('TOKEN') }]);
    expect(checkCard(cardOf('greeter'), manifest).differs).toBe(false);
    const asked = checkCard({ ...cardOf('greeter'), runtime: { resources: { memory: '512Mi', cpu: '1' } } }, manifest);
    expect(asked).toMatchObject({ differs: true, resources: { memory_mib: 512, cpu_millis: 1000 } });
    expect(checkCard({ ...cardOf('greeter'), runtime: { resources: { memory: '512Mi', cpu: '1' } } }, manifest, asked).differs).toBe(false);
  });
});

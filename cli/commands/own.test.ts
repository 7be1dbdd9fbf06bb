// What is one's own at the platform: files, grants, agents, the token. Against the real HTTP kernel.
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { agents } from '#contract/agents/agents.ts';
import type { RepairOut } from '#contract/deploys/self-healing.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { files } from '#contract/workspace/files.ts';
import { folders } from '#contract/workspace/folders.ts';
import { grantRevocation } from '#contract/workspace/grant-revocation.ts';
import { grants } from '#contract/workspace/grants.ts';
import { workspaceGrants } from '#contract/workspace/workspace-grants.ts';
import { Conflict, NotFound, PreconditionFailed } from '#core/kernel/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { deploymentAt } from '../test/deployment.ts';
import { piped, signedIn, toolAt, typing } from '../test/signed-in.ts';

const at = '2026-11-22T04:00:00.000Z';
const id = (prefix: string, n: number): string => `${prefix}_00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const stored = new Map<string, Buffer>();
const script = {
  outOfService: null as { reason: string; since: string } | null,
  warnings: [] as { code: string; message: string }[],
  failed: false,
  repairs: [] as RepairOut[],
};
const seen = { grants: [] as unknown[], headers: [] as unknown[], deleted: [] as string[], redeployed: [] as (string | undefined)[], revoked: [] as string[] };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-own-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  stored.clear();
  Object.assign(seen, { grants: [], headers: [], deleted: [], redeployed: [], revoked: [] });
});

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const fileOut = (path: string, bytes: Buffer) => ({
  path,
  file_type: 'text' as const,
  mime_type: 'text/plain',
  size_bytes: bytes.length,
  sha256: sha(bytes),
  etag: `"${sha(bytes)}"`,
  created_at: at,
  updated_at: at,
});
const bytesOf = (path: string): Buffer => {
  const bytes = stored.get(path);
  if (!bytes) throw new NotFound('file_not_found', `There is no file ${path}`);
  return bytes;
};
const skill = (name: string) => ({
  id: name,
  name,
  description: 'Does it',
  input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output_schema: {},
});
const agent = {
  name: 'text-kit',
  description: 'Works with texts',
  version: '2.0.0',
  visibility: 'unlisted' as const,
  kind: 'hosted' as const,
  state: 'live' as const,
  url: 'http://text-kit.localhost:8080',
  tags: ['text'],
  skills: ['compare', 'outline'],
  out_of_service: null,
  created_at: at,
  updated_at: at,
};
const deployment = (number: number, state: 'live' | 'superseded' | 'failed', version: string) => ({
  ...deploymentAt(at),
  deploy_id: id('dep', number),
  number,
  state,
  version,
  job_id: id('job', number),
  error: state === 'failed' ? { code: 'build_failed', message: 'agent.ts:3: unexpected end' } : null,
  live_at: state === 'failed' ? null : at,
});
const mineOut = () => ({
  ...agent,
  out_of_service: script.outOfService,
  reuse_policy: 'closed' as const,
  code_editor: false,
  live_deploy_id: null,
  deploy_count: 4,
  call_count: 7,
  imported: null,
  last_deployment: script.failed ? { deploy_id: id('dep', 4), state: 'failed' as const, error: null, created_at: at } : null,
});
const begun: RepairOut = {
  repair_id: id('rep', 1),
  job_id: id('job', 9),
  state: 'queued',
  failed_deploy_id: id('dep', 4),
  error: { code: 'http_500', message: 'It failed' },
  outcome: null,
  steps: [],
  missing_secrets: [],
  changed_files: [],
  tests: 'not_run',
  commit: null,
  deploy_id: null,
  created_at: '2026-11-22T05:00:00.000Z',
  ended_at: null,
};
const known = (name: string): void => {
  if (name !== 'text-kit') throw new NotFound('agent_not_found', `There is no agent ${name} that you can see`);
};

function serve() {
  const { list, get, mine, mineOne, delete: remove, deployment: one, deployments, redeploy, invoke, selfHealing } = agents;
  const shown = {
    agents: { list, get, mine, mineOne, delete: remove, deployment: one, deployments, redeploy, invoke, selfHealing },
    files: { ...files, ...folders },
    grants: { list: grants.list, ...grantRevocation },
    workspaceGrants: { delegate: workspaceGrants.delegate },
  };
  return serveForTest(shown, {
    agents: {
      list: () => [{ ...agent, mine: true }],
      get(_ctx, { params }) {
        known(params.name);
        const card = {
          name: 'text-kit',
          description: 'Works with texts',
          version: '2.0.0',
          skills: [skill('compare'), skill('outline')],
          required_secrets: ['API_KEY'],
        };
        return {
          ...agent,
          description: 'Works with texts.\n'.repeat(100),
          out_of_service: script.outOfService,
          mine: true,
          reuse_policy: 'closed' as const,
          card: AgentCard.parse(card),
          call_count: 7,
          prices: [],
        };
      },
      mineOne(_ctx, { params }) {
        known(params.name);
        return mineOut();
      },
      mine: () => [mineOut()],
      deployment: () => ({ ...deployment(4, 'failed', '2.1.0'), warnings: script.warnings }),
      selfHealing: () => ({ policy: null, repairs_today: script.repairs.length, repairs: script.repairs }),
      delete: (_ctx, { params }) => void seen.deleted.push(params.name),
      deployments: () => [
        deployment(4, 'failed', '2.1.0'),
        deployment(3, 'live', '2.0.0'),
        deployment(2, 'superseded', '1.1.0'),
        deployment(1, 'superseded', '1.0.0'),
      ],
      redeploy(_ctx, { query }) {
        seen.redeployed.push(query.deploy_id);
        return { name: 'text-kit', deploy_id: id('dep', 5), job_id: id('job', 5), number: 5, state: 'queued' as const, url: agent.url, source_sha256: 'x' };
      },
      invoke(_ctx, { params }, http) {
        seen.headers.push(http.header('svc-grant'));
        if (!agent.skills.includes(params.skill_name)) throw new NotFound('skill_not_found', `there is no skill "${params.skill_name}"`);
        return http.reply(200, { ok: true }, {});
      },
    },
    files: {
      list: (_ctx, { query }) => ({
        items: [...stored].filter(([path]) => path.startsWith(query.prefix ?? '')).map(([path, bytes]) => fileOut(path, bytes)),
        next_cursor: null,
      }),
      async upload(_ctx, { body, headers }) {
        let [path, bytes] = ['', Buffer.alloc(0)];
        for await (const part of body) {
          if (part.kind === 'field') path = part.value;
          else bytes = await buffer(part.stream);
        }
        if (headers['if-none-match'] === '*' && stored.has(path)) throw new PreconditionFailed('file_exists', 'There is one');
        stored.set(path, bytes);
        return fileOut(path, bytes);
      },
      move(_ctx, { body }) {
        const bytes = bytesOf(body.from);
        if (stored.has(body.to) && !body.overwrite) throw new Conflict('path_taken', `There is a file at ${body.to} already: choose another path`);
        stored.delete(body.from);
        stored.set(body.to, bytes);
        return fileOut(body.to, bytes);
      },
      get(_ctx, { params }, http) {
        const bytes = bytesOf(params.path);
        return http.reply(200, Readable.from([bytes]), { etag: `"${sha(bytes)}"`, 'content-type': 'text/plain' });
      },
      remove: (_ctx, { params }) => void (bytesOf(params.path) && stored.delete(params.path)),
      moveFolder: (_ctx, { body }) => ({ from: body.from, to: body.to, files: 2 }),
    },
    grants: {
      list: () => ({ items: [], next_cursor: null }),
      revoke: (_ctx, { params }) => void seen.revoked.push(params.grant_id),
    },
    workspaceGrants: {
      delegate(_ctx, { body }) {
        seen.grants.push(body);
        const { audience, allow_patterns, deny_patterns, mode, outputs_prefix } = body;
        const given = { grant_id: id('grt', 1), issuer: 'usr_1', audience, bucket: 'usr_1', mode, allow_patterns, deny_patterns, outputs_prefix };
        return { grant: { ...given, expires_at: 1, issued_at: 0, nonce: 'n'.repeat(16) }, token: 'grant-token' };
      },
    },
  });
}

const { tool } = await toolAt(await serve());
const run = (...argv: string[]) => tool.run(argv, signedIn);

test('files: put, list, get, rm', async () => {
  const source = join(folder, 'today.md');
  await writeFile(source, 'one\ntwo\n');
  expect(await run('files', 'put', source, 'notes/')).toMatchObject({ code: EXIT.ok, out: 'notes/today.md\n' });
  expect(await tool.run(['files', 'put', '-', 'notes/piped.md'], piped('typed'))).toMatchObject({ code: EXIT.ok });
  expect(stored.get('notes/piped.md')?.toString()).toBe('typed\n');
  const again = await run('files', 'put', source, 'notes/today.md', '--new');
  expect(again).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('is there already') });
  const listed = await run('files', 'list', 'notes/');
  expect(listed.out).toMatch(/^PATH +TYPE +BYTES +CHANGED \(UTC\)\nnotes\/today\.md +text +8 +2026-11-22 04:00:00\nnotes\/piped\.md/);
  expect((await run('files', 'get', 'notes/today.md', '-')).out).toBe('one\ntwo\n');
  const to = join(folder, 'fetched.md');
  expect(await run('files', 'get', 'notes/today.md', to)).toMatchObject({ code: EXIT.ok, out: `${to}\n` });
  expect(await readFile(to, 'utf8')).toBe('one\ntwo\n');
  expect((await run('files', 'get', 'notes/piped.md', to)).err).toContain('--force');
  expect(await readFile(to, 'utf8')).toBe('one\ntwo\n');
  const nowhere = join(folder, 'none', 'today.md');
  expect(await run('files', 'get', 'notes/today.md', nowhere)).toMatchObject({
    code: EXIT.failure,
    err: `${join(folder, 'none')} is no folder here: make it first.\n`,
  });
  expect((await run('files', 'get', 'nowhere', join(folder, 'nowhere'))).err).toContain('There is no file nowhere');
  await expect(readFile(join(folder, 'nowhere'))).rejects.toThrow('ENOENT');
  expect((await run('files', 'rm', 'notes/today.md', 'notes/piped.md')).code).toBe(EXIT.ok);
  expect(stored.size).toBe(0);
  expect((await run('files', 'list')).err).toContain('svc files put FILE');
  expect((await run('files', 'put', folder)).err).toContain('is a folder');
});

test('files mv: a file, into a folder, a folder; what is there only by force', async () => {
  for (const path of ['a.md', 'b.md']) stored.set(path, Buffer.from(path));
  expect(await run('files', 'mv', 'a.md', 'b.md')).toMatchObject({
    code: EXIT.failure,
    err: 'There is a file at b.md already: choose another path, or --force to replace it.\n',
  });
  expect(await run('files', 'mv', 'a.md', 'b.md', '--force')).toMatchObject({ code: EXIT.ok, out: 'b.md\n' });
  expect(await run('files', 'mv', 'b.md', 'notes/')).toMatchObject({ code: EXIT.ok, out: 'notes/b.md\n' });
  expect([...stored.keys()]).toEqual(['notes/b.md']);
  expect((await run('files', 'mv', 'notes/', 'old', '--json')).err).toContain('old/');
  expect(JSON.parse((await run('files', 'mv', 'notes/', 'old/', '--json')).out)).toEqual({ from: 'notes/', to: 'old/', files: 2 });
});

test('files unshare revokes grants, each that is named', async () => {
  const [one, two] = [id('grt', 1), id('grt', 2)];
  expect(await run('files', 'unshare', one, two)).toMatchObject({ code: EXIT.ok, err: `${one} is revoked.\n${two} is revoked.\n` });
  expect(seen.revoked).toEqual([one, two]);
  expect((await run('files', 'unshare', 'grt_1')).code).toBe(EXIT.failure);
});

test('files share prints a grant, and a call carries it', async () => {
  const shared = await run('files', 'share', 'text-kit', 'notes/**', '--write', 'out/', '--for', '600', '--deny', 'notes/secret/**');
  expect(shared).toMatchObject({ code: EXIT.ok, out: 'grant-token\n' });
  expect(seen.grants).toEqual([
    {
      audience: 'text-kit',
      allow_patterns: ['notes/**'],
      deny_patterns: ['notes/secret/**'],
      mode: 'read_write_overlay',
      outputs_prefix: 'out',
      ttl_seconds: 600,
    },
  ]);
  expect((await tool.run(['call', 'text-kit', 'compare', 'text=a', '--grant', '@-'], piped('grant-token'))).code).toBe(EXIT.ok);
  expect(seen.headers).toEqual(['grant-token']);
  expect((await run('files', 'shares')).err).toContain('You have shared nothing');
});

test('describe says what an agent is, what its tools take, and how its deploys went', async () => {
  const { code, out, err } = await run('describe', 'text-kit');
  expect(code).toBe(EXIT.ok);
  for (const line of [
    /^Address +http:\/\/text-kit\.localhost:8080$/m,
    /^About {4}(?:Works with texts\. )+.{0,17}…$/m,
    /^Secrets +API_KEY$/m,
    /^compare +text +Does it$/m,
    /^4 +failed +2\.1\.0 .*unexpected end$/m,
  ])
    expect(out).toMatch(line);
  expect(err).toContain('svc call text-kit compare text=…');
});

test('describe says why an agent takes no calls, and asks which one where none is named', async () => {
  script.outOfService = { reason: 'the index is being rebuilt', since: at };
  onTestFinished(() => void (script.outOfService = null));
  expect((await run('describe', 'text-kit')).out).toMatch(/^State +live, out of service: the index is being rebuilt$/m);
  expect(await run('describe')).toMatchObject({ code: EXIT.usage, err: 'Which agent? Give its name, or run this inside its project.\n' });
});

test('delete asks for the name, and takes --yes without a terminal', async () => {
  expect(await run('delete', 'text-kit')).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('--yes') });
  expect((await tool.run(['delete', 'text-kit'], typing('text-kti'))).err).toContain('Nothing was deleted.');
  expect(seen.deleted).toEqual([]);
  expect((await tool.run(['delete', 'text-kit'], typing('text-kit'))).code).toBe(EXIT.ok);
  expect((await run('delete', 'text-kit', '--yes')).code).toBe(EXIT.ok);
  expect(seen.deleted).toEqual(['text-kit', 'text-kit']);
});

test('rollback goes to what was live before, or to a number or version; never to what does not exist', async () => {
  expect(await run('rollback', 'text-kit', '--no-wait')).toMatchObject({ code: EXIT.ok, err: expect.stringContaining('back to deploy 2 (1.1.0)') });
  await run('rollback', 'text-kit', '--to', '1', '--no-wait');
  await run('rollback', 'text-kit', '--to', '1.0.0', '--no-wait');
  expect(seen.redeployed).toEqual([id('dep', 2), id('dep', 1), id('dep', 1)]);
  expect((await run('rollback', 'text-kit', '--to', '9')).err).toContain('svc describe text-kit');
});

test('token prints what works now', async () => {
  expect(await run('token')).toMatchObject({ code: EXIT.ok, out: 'ada\n' });
  expect(await tool.run(['token'])).toMatchObject({ code: EXIT.notSignedIn, out: '' });
});

test.each([
  [['describe', 'text-kti'], 'Did you mean text-kit?'],
  [['delete', 'txt-kit', '--yes'], 'Did you mean text-kit?'],
  [['call', 'text-kit', 'comapre', 'text=a'], 'Did you mean compare?'],
])('a name that is nearly right is corrected: svc %j', async (argv, hint) => {
  expect(await tool.run(argv, signedIn)).toMatchObject({ code: EXIT.failure, err: expect.stringContaining(hint) });
});

test('status shows what is live, what is wrong and how to fix it', async () => {
  const well = await run('status', 'text-kit');
  expect(well.out).toMatch(/State +live\nLive +2\.0\.0\nAddress +http:\/\/text-kit/);
  expect(well.out).not.toContain('Fix  ');
  Object.assign(script, {
    outOfService: { reason: 'no disk', since: at },
    warnings: [{ code: 'secret_missing', message: 'The agent needs the secret API_KEY, which has no value yet' }],
    failed: true,
  });
  onTestFinished(() => void Object.assign(script, { outOfService: null, warnings: [], failed: false }));
  const { out } = await run('status', 'text-kit');
  expect(out).toMatch(/State +out of service since 2026-11-22 04:00 UTC: no disk/);
  expect(out).toMatch(/Deploy +4, failed, 2\.1\.0[^]*Error +agent\.ts:3: unexpected end/);
  expect(out).toMatch(/svc logs text-kit; version 2\.0\.0 still serves[^]*svc rollback text-kit[^]*svc secrets set text-kit API_KEY --restart/);
  const { remedies, last_deployment } = JSON.parse((await run('status', 'text-kit', '--json')).out) as {
    remedies: string[];
    last_deployment: { number: number };
  };
  expect([remedies.length, last_deployment.number]).toEqual([5, 4]);
  expect((await run('status')).out).toMatch(/text-kit +out of service +2\.0\.0 +failed/);
  expect(await run('status', 'nothing')).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('There is no agent nothing') });
});

test.each([
  [
    { state: 'healed', outcome: { code: 'restart', message: 'A restart brought it back' } },
    /Repair +healed, 2026-11-22 05:00 UTC, after http_500: A restart brought it back$/m,
    [],
  ],
  [
    { state: 'needs_human', outcome: { code: 'no_good_version', message: 'No earlier version of it has answered calls' } },
    /Repair +needs human, .*: No earlier version/,
    ['read why it failed: svc logs text-kit', 'then fix it and deploy again: svc deploy'],
  ],
  [{ state: 'awaiting_secret', missing_secrets: ['TOKEN'] }, /Repair +started .*; it waits for TOKEN$/m, ['store the secret: svc secrets set text-kit TOKEN']],
  [{ state: 'running' }, /Repair +started .*; under way$/m, []],
] satisfies [Partial<RepairOut>, RegExp, string[]][])('status says what was repaired: %j', async (change, line, remedies) => {
  script.repairs = [{ ...begun, ...change }];
  script.failed = true;
  onTestFinished(() => void Object.assign(script, { repairs: [], failed: false }));
  expect((await run('status', 'text-kit')).out).toMatch(line);
  const shown = JSON.parse((await run('status', 'text-kit', '--json')).out) as { remedies: string[]; last_repair: { state: string } };
  expect(shown.last_repair.state).toBe(change.state);
  expect(shown.remedies.slice(2)).toEqual(remedies);
});

test('open prints the address; --print opens nothing', async () => {
  expect(await run('open', 'text-kit', '--print')).toMatchObject({ code: EXIT.ok, out: 'http://text-kit.localhost:8080\n' });
  expect(JSON.parse((await run('open', 'text-kit', '--print', '--json')).out)).toEqual({
    name: 'text-kit',
    url: agent.url,
    state: 'live',
    opened: false,
  });
  expect((await run('open', 'nothing', '--print')).code).toBe(EXIT.failure);
});

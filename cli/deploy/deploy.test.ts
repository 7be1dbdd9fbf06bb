// deploy, local-deploy, local-cleanup, logs and call against the real HTTP kernel; what a deployment does is
// scripted here.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { list as listTar } from 'tar';
import type { z } from 'zod';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { agents, type AgentDeploymentOut } from '#contract/agents/agents.ts';
import { AgentCard } from '#contract/wire/card.ts';
import type { JobEventOut } from '#contract/runs/work-ledger.ts';
import { BadRequest, NotFound } from '#core/kernel/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { deploymentAt } from '../test/deployment.ts';
import { signedIn, toolAt } from '../test/signed-in.ts';
import { cites } from '#test/spec/verifies.ts';

type Deployment = z.input<typeof AgentDeploymentOut>;
type JobEvent = z.input<typeof JobEventOut>;

const at = '2026-11-20T19:00:00.000Z';
const deployment: Deployment = { ...deploymentAt(at), warnings: [{ code: 'secret_missing', message: 'set the secret API_KEY' }] };
const deployId = deployment.deploy_id;
const event = (seq: number, kind: string, payload: Record<string, unknown>): JobEvent => ({ job_id: 'job_1', seq, kind, payload, at });
const story = [
  event(1, 'job.queued', {}),
  event(2, 'stage', { stage: 'building' }),
  event(3, 'log', { stream: 'stdout', text: 'installing\u001b[2J' }),
  event(4, 'stage', { stage: 'starting' }),
  event(5, 'stage', { stage: 'live' }),
];

/** What the next deployment does, and what was seen of the tool. */
const script = { end: deployment, cutAfter: 0, hang: false };
const seen = { fields: {} as Record<string, string>, files: [] as string[], resumedAfter: [] as string[], tails: [] as string[], agents: new Set<string>() };

const { compose, fromTarball, deployments, deployment: one, deploymentStream, deploymentLogs, invoke, get, delete: remove } = agents;
// A project is loaded in a process of its own, with the SDK from its sources.
vi.setConfig({ testTimeout: 120_000 });

let project: string;
const agentSource = `import { Agent, skill } from '@svc/sdk';
export class TextKit extends Agent {
  name = 'text-kit';
  description = '';
  version = '0.1.0';
  echo = skill({}, async () => null);
}
`;

function serve() {
  return serveForTest(
    { agents: { compose, fromTarball, deployments, deployment: one, deploymentStream, deploymentLogs, invoke, get, delete: remove } },
    {
      agents: {
        async fromTarball(_ctx, { body }) {
          for await (const part of body) {
            if (part.kind === 'field') seen.fields[part.name] = part.value;
            else seen.files = await entriesOf(await buffer(part.stream));
          }
          if (seen.fields.name === 'refused') throw new BadRequest('name_mismatch', 'svc.yaml and the form differ');
          return {
            name: 'text-kit',
            deploy_id: deployId,
            job_id: 'job_1',
            number: 1,
            state: 'queued' as const,
            url: 'http://text-kit.localhost:8080',
            source_sha256: 'x',
          };
        },
        compose(_ctx, { body }) {
          const { name } = 'manifest' in body ? body.manifest : body;
          const step = { skill: 'search', arguments: ['question'], needs: [] };
          const found = { agent: 'library', chosen_by: 'name' as const, version: '1.0.0', required: true, skills: [step], problem: null };
          const lacking = { ...found, agent: null, required: false, skills: [], problem: 'there is no agent writer that you can call' };
          const made = {
            name,
            deploy_id: deployment.deploy_id,
            job_id: 'job_1',
            number: 1,
            state: 'queued' as const,
            url: 'http://desk.example',
            source_sha256: 'x',
          };
          return { ...made, sub_agents: [found, lacking], arguments: ['question'], files: ['agent.ts'] };
        },
        delete(_ctx, { params }) {
          if (!seen.agents.delete(params.name)) throw new NotFound('agent_not_found', `There is no agent ${params.name}`);
        },
        deployments: () => [script.end],
        deployment: () => (script.cutAfter > 0 && seen.resumedAfter.length < 2 ? { ...script.end, state: 'building' as const } : script.end),
        async *deploymentStream(_ctx, _input, http) {
          seen.resumedAfter.push(http.lastEventId ?? '');
          const from = Number(http.lastEventId ?? 0);
          for (const item of story.slice(from)) {
            if (script.cutAfter > 0 && from === 0 && item.seq > script.cutAfter) return;
            yield { id: String(item.seq), event: item.kind, data: item };
          }
          if (script.hang) await new Promise((resolve) => http.signal.addEventListener('abort', resolve, { once: true }));
        },
        deploymentLogs(_ctx, { query }) {
          seen.tails.push(`${query.tail} ${query.cursor ?? '-'}`);
          const lines =
            query.cursor === undefined
              ? [
                  { at, source: 'build' as const, stream: 'stdout' as const, text: 'installing' },
                  { at, source: 'agent' as const, stream: 'stderr' as const, text: 'listening' },
                ]
              : [];
          return { deploy_id: deployId, state: script.end.state, lines, cursor: '2.0' };
        },
        get: () => ({
          name: 'text-kit',
          description: '',
          version: '0.1.0',
          visibility: 'public' as const,
          kind: 'hosted' as const,
          state: 'live' as const,
          out_of_service: null,
          url: 'http://x',
          tags: [],
          skills: [],
          created_at: at,
          updated_at: at,
          mine: true,
          reuse_policy: 'closed' as const,
          card: AgentCard.parse({
            name: 'text-kit',
            description: '',
            version: '0.1.0',
            skills: [
              {
                id: 'compare',
                name: 'compare',
                input_schema: { type: 'object', properties: { before: { type: 'string' } }, required: ['before'] },
                output_schema: {},
              },
            ],
          }),
          call_count: 0,
          prices: [],
        }),
        invoke(_ctx, { params, body }, http) {
          if (params.skill_name === 'echo') return http.reply(200, body, { 'x-svc-receipt-id': 'rcp_7' });
          const events: [string, unknown][] = [
            ['status', { state: 'running', run_id: 'run_1', skill: 'story' }],
            ['progress', { message: 'half', progress: 1, total: 2 }],
            ['text_delta', { text: 'Once\u001b[31m upon' }],
            ['tool', { call_id: 'c', name: 'search', phase: 'started' }],
            params.skill_name === 'fails'
              ? [
                  'failed',
                  {
                    status: 400,
                    detail: {
                      code: 'skill_input_error',
                      message: 'bad input',
                      request_id: 'req_1',
                      issues: [{ path: ['text'], code: 'x', message: 'is missing' }],
                    },
                  },
                ]
              : ['result', { result: { words: 2 } }],
            ['receipt', { receipt_id: 'rcp_8', token: 'a.b' }],
          ];
          const sent = params.skill_name === 'cut' ? events.slice(0, 3) : events;
          const text = sent.map(([kind, payload], i) => `id: ${i + 1}\nevent: ${kind}\ndata: ${JSON.stringify({ kind, payload })}\n\n`);
          return http.reply(200, Readable.from([': hello\n\n', ...text]), { 'content-type': 'text/event-stream' });
        },
      },
    },
  );
}

async function entriesOf(archive: Buffer): Promise<string[]> {
  const names: string[] = [];
  await new Promise((resolve, reject) =>
    Readable.from([archive])
      .pipe(
        listTar({
          onReadEntry: (entry) => {
            names.push(entry.path);
          },
        }),
      )
      .once('end', resolve)
      .once('error', reject),
  );
  return names;
}

const { tool } = await toolAt(await serve());
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'svc-project-'));
  await writeFile(join(project, 'svc.yaml'), 'name: text-kit\nversion: 0.1.0\nentrypoint: agent:TextKit\nfrontend:\n  path: frontend\n  mount: /app\n');
  await writeFile(join(project, 'agent.ts'), agentSource);
  await writeFile(join(project, '.env'), 'SECRET=1\n');
});
afterAll(async () => {
  await rm(project, { recursive: true });
});
beforeEach(() => {
  Object.assign(script, { end: deployment, cutAfter: 0, hang: false });
  Object.assign(seen, { fields: {}, files: [], resumedAfter: [], tails: [] });
});

test('deploy: uploads the source, shows the stages live, prints the address alone on standard output', cites('cli.deploy'), async () => {
  const ran = await tool.run(['deploy', project], signedIn);
  expect(ran).toMatchObject({ code: 0, out: 'http://text-kit.localhost:8080\n' });
  expect(seen).toMatchObject({ fields: { name: 'text-kit' }, files: ['agent.ts', 'svc.yaml'], resumedAfter: [''] });
  const [leftOut, ...lines] = ran.err.split('\n');
  expect(leftOut).toMatch(/^Left out .*: \.env$/);
  expect(lines[0]).toMatch(/^Uploading text-kit 0\.1\.0: 2 files, 1 KiB$/);
  expect(lines.slice(1)).toEqual([
    '● building',
    '  installing [2J',
    '● starting',
    '● live',
    'Note: set the secret API_KEY',
    'Set it with: svc secrets set text-kit NAME --restart',
    'Live: text-kit 0.1.0',
    'Open it: http://text-kit.localhost:8080/app',
    'Call it: svc call text-kit compare before=…',
    '',
  ]);
});

test.each([
  ['a syntax error', { 'agent.ts': 'export class TextKit {' }, /^agent\.ts(:1)?: /],
  ['a version that differs', { 'agent.ts': agentSource.replace('0.1.0', '0.2.0') }, /version is "0\.1\.0" here and "0\.2\.0"/],
  [
    'a syntax error in Python',
    { 'svc.yaml': 'name: text-kit\nversion: 0.1.0\nentrypoint: agent:TextKit\n', 'agent.py': 'x = 1\nclass TextKit(:\n' },
    /agent\.py:2: SyntaxError/,
  ],
])('deploy: %s is reported before anything is uploaded; --no-validate leaves it to the build', async (_, files, message) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-broken-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'svc.yaml'), 'name: text-kit\nversion: 0.1.0\nentrypoint: agent:TextKit\n');
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const ran = await tool.run(['deploy', folder], signedIn);
  expect(ran).toMatchObject({ code: EXIT.failure, out: '' });
  expect(ran.err.replaceAll(/\S*svc-broken-[^/]*\//g, '')).toMatch(message);
  expect(seen.files).toEqual([]);
  expect((await tool.run(['deploy', folder, '--no-validate'], signedIn)).code).toBe(0);
  expect(seen.files).toContain('svc.yaml');
});

test('deploy: a package that is not installed here is left to the build', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-package-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'svc.yaml'), 'name: text-kit\nversion: 0.1.0\nentrypoint: agent:TextKit\n');
  await writeFile(join(folder, 'agent.ts'), `import 'left-pad-of-nobody';\n${agentSource}`);
  const ran = await tool.run(['deploy', folder], signedIn);
  expect(ran.code).toBe(0);
  expect(ran.err).toContain('Not checked here: ');
});

test('deploy: listing, JSON, no waiting', cites('cli.deploy'), async () => {
  const json = await tool.run(['deploy', '-p', project, '--public', '--json', '--no-validate'], signedIn);
  expect(JSON.parse(json.out)).toMatchObject({ name: 'text-kit', deploy_id: deployId, state: 'live', url: 'http://text-kit.localhost:8080' });
  expect(seen.fields).toEqual({ name: 'text-kit', public: 'true' });
  const quick = await tool.run(['deploy', project, '--private', '--no-wait', '--no-validate'], signedIn);
  expect(quick).toMatchObject({ code: 0, out: 'http://text-kit.localhost:8080\n' });
  expect(seen.fields.public).toBe('false');
  expect(quick.err).toContain('svc logs text-kit -f');
  expect(seen.resumedAfter).toHaveLength(1);
});

test('deploy: a stream that breaks is taken up again after the last event', async () => {
  script.cutAfter = 2;
  const ran = await tool.run(['deploy', project, '--no-validate'], signedIn);
  expect(ran.code).toBe(0);
  expect(seen.resumedAfter).toEqual(['', '2']);
  expect(ran.err.match(/● building/g)).toHaveLength(1);
  expect(ran.err.match(/● live/g)).toHaveLength(1);
});

test('deploy: the wait for a builder is shown, with its place', async () => {
  story.splice(1, 0, event(2, 'waiting', { place: 2 }), event(3, 'waiting', { place: 1 }));
  onTestFinished(() => void story.splice(1, 2));
  const { err } = await tool.run(['deploy', project, '--no-validate'], signedIn);
  expect(err.split('\n').slice(2, 6)).toEqual([
    expect.stringMatching(/^○ waiting for a builder \(2nd in line\), \d+ s so far$/),
    expect.stringMatching(/^○ waiting for a builder \(1st in line\), \d+ s so far$/),
    expect.stringMatching(/^○ waited \d+ s for a builder$/),
    '● building',
  ]);
});

test('deploy: a failed build exits 1, says what serves now and where its log is', async () => {
  script.end = { ...deployment, state: 'failed', error: { code: 'build_failed', message: 'npm: no\u001b[2J such package' } };
  const ran = await tool.run(['deploy', project, '--no-validate'], signedIn);
  expect(ran).toMatchObject({ code: EXIT.failure, out: '' });
  expect(ran.err).toContain(
    `The deploy failed: npm: no[2J such package\ntext-kit 0.1.0 keeps serving.\nThe whole log: svc logs text-kit --deploy ${deployId}\n`,
  );
});

test('deploy: what the agent logs as it starts is text for people', async () => {
  const entry = {
    agent: 'text-kit',
    hook: 'startup',
    error: 'no model',
    stack: 'Error: no model\n    at agent.ts:9',
    at,
    level: 'error',
    message: 'startup failed',
  };
  story.splice(1, 0, event(2, 'log', { stream: 'stdout', text: JSON.stringify(entry) }));
  onTestFinished(() => void story.splice(1, 1));
  const { err } = await tool.run(['deploy', project, '--no-validate'], signedIn);
  expect(err).toContain('\n  error startup failed agent=text-kit hook=startup\n    Error: no model\n        at agent.ts:9\n');
});

test('deploy: ctrl-C stops the watching, not the deploy, and says how to see it', async () => {
  script.hang = true;
  const watching = tool.spawn(['deploy', project, '--no-validate'], signedIn.env);
  await watching.saw(/● live/);
  watching.process.kill('SIGINT');
  const ran = await watching.ended;
  expect(ran).toMatchObject({ code: EXIT.interrupted, out: '' });
  expect(ran.err).toContain(`The deploy continues without this command. Follow it with: svc logs text-kit --deploy ${deployId} -f`);
});

test('deploy: refusals and a folder that is no project', async () => {
  const nowhere = await tool.run(['deploy', '/nonexistent'], signedIn);
  expect(nowhere).toMatchObject({ code: EXIT.failure, out: '' });
  expect(nowhere.err).toContain('svc.yaml');
  expect((await tool.run(['deploy', project])).code).toBe(EXIT.notSignedIn);
});

test('local-deploy takes a token, or says why it cannot make one', cites('cli.local_deploy'), async () => {
  const ran = await tool.run(['local-deploy', project, '--no-validate', '--token', 'ada', '--no-wait-control-plane', '--wait-agent', '--json']);
  expect(JSON.parse(ran.out)).toMatchObject({ state: 'live' });
  const none = await tool.run(['local-deploy', project, '--no-validate', '--no-wait-control-plane']);
  expect(none.code).toBe(EXIT.failure);
  expect(none.err).toContain('/nowhere/local-login.key cannot be read');
  expect((await tool.run(['local-deploy', project, '--no-validate', '--no-wait-control-plane', '--no-docker-token'])).code).toBe(EXIT.notSignedIn);
});

test('local-cleanup deletes the agent once; what does not exist is an error unless it may be missing', cites('cli.local_cleanup'), async () => {
  seen.agents.add('text-kit');
  const cleanup = (...more: string[]) => tool.run(['local-cleanup', 'text-kit', '--token', 'ada', '--no-wait-control-plane', ...more]);
  expect(await cleanup()).toMatchObject({ code: 0, out: '' });
  expect(seen.agents.size).toBe(0);
  const again = await cleanup();
  expect(again).toMatchObject({ code: EXIT.failure, out: '' });
  expect(again.err).toContain('There is no agent text-kit');
  const quiet = await cleanup('--ignore-missing', '--json');
  expect(quiet.code).toBe(0);
  expect(JSON.parse(quiet.out)).toEqual({ name: 'text-kit', deleted: false });
  expect((await tool.run(['local-cleanup', 'text-kit', '--ignore-missing', '--no-wait-control-plane', '--no-docker-token'])).code).toBe(EXIT.notSignedIn);
});

test('compose reads YAML or JSON, says what it calls and what is left out, and where a manifest is wrong', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-compose-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'desk.yaml');
  const manifest = 'name: desk\ngoal: { objective: Answer }\ncomposition: { sub_agents: [{ name: library }, { name: writer, required: false }] }\n';
  await writeFile(file, manifest);
  const ran = await tool.run(['compose', file, '--no-wait'], signedIn);
  expect(ran).toMatchObject({ code: 0, out: 'http://desk.example\n' });
  expect(ran.err).toContain('desk calls library.search');
  expect(ran.err).toContain('Left out an agent: there is no agent writer that you can call');
  expect(ran.err).toContain('svc call desk run question=…');
  const json = await tool.run(['compose', file, '--no-wait', '--json'], signedIn);
  expect(JSON.parse(json.out)).toMatchObject({ name: 'desk', arguments: ['question'] });
  await writeFile(file, manifest.replace('name: library', 'nam: library'));
  const wrong = await tool.run(['compose', file], signedIn);
  expect(wrong.code).toBe(EXIT.failure);
  expect(wrong.err).toContain('composition.sub_agents.0: Unrecognized key: "nam"');
  await writeFile(file, '{ not: [closed');
  expect((await tool.run(['compose', file], signedIn)).err).toContain('neither YAML nor JSON');
  expect((await tool.run(['compose', join(folder, 'nothing.yaml')], signedIn)).err).toContain('cannot be read');
});

test('logs: of the newest deploy, followed to the end', cites('cli.logs'), async () => {
  const ran = await tool.run(['logs', 'text-kit', '-n', '50'], signedIn);
  expect(ran).toMatchObject({ code: 0, out: '19:00:00.000 build    installing\n19:00:00.000 agent    listening\n' });
  expect(seen.tails).toEqual(['50 -']);
  script.end = { ...deployment, state: 'failed' };
  const followed = await tool.run(['logs', '-p', project, '-f', '--json'], signedIn);
  expect(followed).toMatchObject({ code: EXIT.failure, err: 'The deploy failed.\n' });
  expect(
    followed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).source),
  ).toEqual(['build', 'agent']);
});

test('call: plain JSON, with the receipt named beside', cites('cli.call'), async () => {
  const ran = await tool.run(['call', 'text-kit', 'echo', 'text=hi', 'count=2'], signedIn);
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.out)).toEqual({ text: 'hi', count: 2 });
  expect(ran.err).toContain('svc receipt verify rcp_7 --agent text-kit');
  expect(JSON.parse((await tool.run(['call', 'text-kit', 'echo', '--json', '@-'], { ...signedIn, stdin: '{"a":[1]}' })).out)).toEqual({ a: [1] });
  expect((await tool.run(['call', 'text-kit', 'echo', 'a=1', '--json', '{}'], signedIn)).code).toBe(EXIT.usage);
});

test('call: a stream live, its result at the end', async () => {
  const ran = await tool.run(['call', 'text-kit', 'story'], signedIn);
  expect(ran).toMatchObject({ code: 0, out: '{\n  "words": 2\n}\n' });
  expect(ran.err).toBe('… half (1/2)\nOnce[31m upon\n⚙ search started\nReceipt rcp_8 (check it: svc receipt verify rcp_8 --agent text-kit)\n');
  const events = await tool.run(['call', 'text-kit', 'story', '--events'], signedIn);
  expect(
    events.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).kind),
  ).toEqual(['status', 'progress', 'text_delta', 'tool', 'result', 'receipt']);
});

test('call: a skill that fails, and a stream that ends without a result', async () => {
  const failed = await tool.run(['call', 'text-kit', 'fails'], signedIn);
  expect(failed).toMatchObject({ code: EXIT.failure, out: '' });
  expect(failed.err).toContain('The skill failed (skill_input_error): bad input\n  text: is missing');
  expect(await tool.run(['call', 'text-kit', 'cut'], signedIn)).toMatchObject({ code: EXIT.failure, out: '' });
});

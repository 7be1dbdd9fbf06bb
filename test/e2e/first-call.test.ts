// A person's first agent, and what goes wrong on the way: refusals, builds that fail, the database killed,
// deploys that are cut off, down and up again. That all goes well, with an agent in each language, is in
// main-job.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiError, type Client, createClient } from '#contract/client.ts';
import type { Contract } from '#contract/index.ts';
import { localFetch } from '../support/local-fetch.ts';
import { greeterFiles } from '../support/project.ts';
import { type Installation, installation, logOf, ok, partStatus, statusOf } from './installation.ts';
import { cites } from '../spec/verifies.ts';

let i: Installation;
let token: string;

beforeAll(async () => {
  i = await installation();
  ok(await i.stack('up'));
});
afterAll(() => i?.destroy());

const reaching = (name: string): Record<string, string> => {
  const files = greeterFiles(name);
  files['agent.ts'] = (files['agent.ts'] ?? '').replace(
    /\n}\n$/,
    `
  where = skill({ description: 'Tries to get out', input: z.object({ url: z.string() }), output: z.object({ status: z.number() }) }, async (_ctx, { url }) => {
    const response = await fetch(url);
    return { status: response.status };
  });
}
`,
  );
  return files;
};

const api = (): Client<Contract> => createClient({ baseUrl: i.baseUrl, token });
const invoke = (skill_name: string, body: Record<string, unknown>): Promise<Response> => api().agents.invoke({ params: { name: 'greeter', skill_name }, body });
const refusal = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 200,
    (error: unknown) => (error instanceof ApiError ? error.status : Promise.reject(error)),
  );

describe('a new person on a new machine', () => {
  test('local-deploy signs in, builds in a microVM and goes live', cites('service.hosted'), async () => {
    const folder = await i.project('greeter', reaching('greeter'));
    const out = ok(await i.svc('local-deploy', folder, '--wait-agent', '--json'));
    expect(JSON.parse(out.stdout)).toMatchObject({ name: 'greeter', state: 'live' });
    expect(ok(await i.svc('agents')).stdout).toContain('greeter');
    const credentials = JSON.parse(await readFile(join(i.home, '.svc', 'credentials.json'), 'utf8'));
    token = JSON.stringify(credentials).match(/"access_token":"([^"]+)"/)?.[1] ?? '';
    expect(token).not.toBe('');
  });

  test("junk is the caller's to mend, not an accident", async () => {
    expect(await refusal(invoke('greet', { name: 5 }))).toBe(400);
    expect(await refusal(invoke('greet', { name: 'a', extra: 1 }))).toBe(400);
    expect(await refusal(invoke('nothing', {}))).toBe(404);
    const list = await fetch(`${i.baseUrl}/v1/agents/greeter/api/invoke/greet`, {
      method: 'POST',
      body: '[1]',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    expect(list.status).toBe(422);
  });

  test('the official MCP client finds the skills as tools and calls one', async () => {
    const address = new URL(`http://greeter.localhost:${i.port}/mcp`);
    const client = new McpClient({ name: 'e2e', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(address, { fetch: localFetch, requestInit: { headers: { authorization: `Bearer ${token}` } } }));
    const { tools } = await client.listTools();
    expect(tools.map((t) => t.name).sort()).toEqual(['greet', 'where']);
    expect(await client.callTool({ name: 'greet', arguments: { name: 'MCP' } })).toMatchObject({ structuredContent: { text: 'Hello, MCP!' } });
    await client.close();
  });

  test("an unlisted agent is only its owner's", async () => {
    const address = `http://greeter.localhost:${i.port}`;
    for (const path of ['/healthz', '/.well-known/agent-card']) {
      expect((await localFetch(address + path)).status).toBe(404);
      expect((await localFetch(address + path, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    }
    expect((await localFetch(`${address}/invoke/greet`, { method: 'POST', body: '{"name":"x"}' })).status).toBe(401);
    expect((await fetch(`${i.baseUrl}/v1/public/agents/greeter`)).status).toBe(404);
  });

  test('there is no way out of the guest', cites('service.isolation'), async () => {
    for (const url of ['http://169.254.169.254/latest/meta-data', 'http://127.0.0.1:5432', 'http://10.0.0.1/', 'https://example.com/']) {
      // Refused by the proxy, which the skill sees as 403, or no connection at all, which fails the skill.
      const seen = await invoke('where', { url }).then(
        (response) => response.text(),
        (error: unknown) => (error instanceof ApiError ? String(error.status) : Promise.reject(error)),
      );
      expect(['{"status":403}', '502']).toContain(seen);
    }
  });

  test('secrets and tokens are in no log and no event', async () => {
    for (const part of ['api', 'worker', 'host', 'imports']) expect(await logOf(i, part)).not.toContain(token);
  });

  test('a project that does not build says where, and the old version goes on serving', async () => {
    const files = reaching('greeter');
    files['agent.ts'] = `${files['agent.ts']}\nconst broken = ;\n`;
    const broken = await i.project('broken', files);
    expect((await i.svc('deploy', broken)).stderr).toMatch(/agent\.ts:\d+: SyntaxError/);
    const failed = await i.svc('deploy', broken, '--no-validate');
    expect(failed.code).not.toBe(0);
    expect(failed.stdout + failed.stderr).toMatch(/agent\.ts/);
    expect(ok(await i.svc('logs', 'greeter')).stdout).toMatch(/agent\.ts/);
    expect(ok(await i.svc('call', 'greeter', 'greet', 'name=Still')).stdout).toContain('Hello, Still!');
  });

  test('a version whose startup fails is never live: the old one answers every call, and the deploy says why and what serves', async () => {
    const files = reaching('greeter');
    files['svc.yaml'] = (files['svc.yaml'] ?? '').replace('1.0.0', '2.0.0');
    files['agent.ts'] = (files['agent.ts'] ?? '')
      .replace("version = '1.0.0'", "version = '2.0.0'")
      .replace(/\n}\n$/, "\n  async startup() {\n    throw new Error('models/main.bin does not exist: add it to the project');\n  }\n}\n");
    let over = false;
    const deploy = i.svc('deploy', await i.project('startless', files)).finally(() => (over = true));
    const heard = new Set<string>();
    while (!over) heard.add(await (await invoke('greet', { name: 'Meanwhile' })).text());
    const { code, stderr } = await deploy;
    expect([code, [...heard]]).toEqual([1, ['{"text":"Hello, Meanwhile!"}']]);
    expect(stderr).toContain('The deploy failed: startup() failed: models/main.bin does not exist: add it to the project\n');
    expect(stderr).toContain('greeter 1.0.0 keeps serving.\n');
    expect(ok(await i.svc('agents')).stdout).toMatch(/^greeter +1\.0\.0 +live /m);
    expect(ok(await i.svc('describe', 'greeter')).stdout).toMatch(
      /^State +live\n[^]*failed +2\.0\.0 .* startup\(\) failed: models\/main\.bin does not exist: add it to the project$/m,
    );
  });

  test.each(['temporal', 'postgres'])('%s is killed: it comes back, and the agent answers again', async (part) => {
    const before = (await partStatus(i, part)).pid;
    await i.kill(part);
    await vi.waitFor(
      async () => {
        const now = await partStatus(i, part);
        expect(now.pid).not.toBe(before);
        expect(now.state).toBe('healthy');
      },
      { timeout: 60_000, interval: 500 },
    );
    await vi.waitFor(async () => expect((await i.svc('call', 'greeter', 'greet', 'name=Again')).stdout).toContain('Hello, Again!'), {
      timeout: 60_000,
      interval: 1_000,
    });
  });

  // The host on its own: it alone holds the machine of the build.
  test.each([[['host']], [['worker', 'api', 'temporal', 'postgres']]])(
    '%s is killed in the middle of a build: the deployment ends live, once',
    async (parts) => {
      const name = `built-beside-${parts[0]}`;
      const deploy = i.svc('deploy', await i.project(name, reaching(name)));
      const deployments = () => api().agents.deployments({ params: { name } });
      await vi.waitFor(async () => expect((await deployments())[0]?.state).toBe('building'), { timeout: 30_000, interval: 100 });
      for (const part of parts) await i.kill(part);
      ok(await deploy);
      const [only, ...more] = await deployments();
      expect(only?.state).toBe('live');
      expect(more).toEqual([]);
      const events = await api().workLedger.events({ params: { job_id: only?.job_id ?? '' } });
      expect(events.items.map((e) => e.seq)).toEqual(events.items.map((_, n) => n + 1));
      expect(events.items.filter((e) => e.kind === 'job.succeeded')).toHaveLength(1);
      await api().agents.delete({ params: { name } });
    },
  );

  test('the API is killed in the middle of an upload: nothing half is left, and the next deploy goes through', async () => {
    const name = 'cut-off';
    const started = new AbortController();
    const body = new ReadableStream({
      async pull(controller) {
        controller.enqueue(
          new TextEncoder().encode(
            `--b\r\ncontent-disposition: form-data; name="source"; filename="s.tgz"\r\ncontent-type: application/gzip\r\n\r\n${'x'.repeat(100_000)}`,
          ),
        );
        started.abort();
        await new Promise(() => undefined);
      },
    });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=b' };
    const upload = fetch(`${i.baseUrl}/v1/agents/from-tarball`, { method: 'POST', body, headers, duplex: 'half' }).then(
      () => 'answered',
      () => 'cut off',
    );
    await vi.waitFor(() => expect(started.signal.aborted).toBe(true));
    await i.kill('api');
    expect(await upload).toBe('cut off');
    await vi.waitFor(async () => expect((await partStatus(i, 'api')).state).toBe('healthy'), { timeout: 60_000, interval: 500 });
    expect((await api().agents.mine()).map((a) => a.name)).not.toContain(name);
    ok(await i.svc('deploy', await i.project(name, reaching(name))));
    await api().agents.delete({ params: { name } });
  });

  test('a deploy that is cancelled ends cancelled, and says so', async () => {
    const name = 'called-off';
    const deploy = i.svc('deploy', await i.project(name, reaching(name)));
    await vi.waitFor(async () => expect((await api().agents.deployments({ params: { name } }))[0]?.state).toBe('building'), { timeout: 30_000, interval: 100 });
    const [open] = await api().agents.deployments({ params: { name } });
    await api().workLedger.cancel({ params: { job_id: open?.job_id ?? '' } });
    expect((await deploy).code).not.toBe(0);
    expect((await api().agents.deployments({ params: { name } }))[0]).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' } });
  });

  test('no machine is left of agents that are gone', async () => {
    const wanted = new Set(['greeter']);
    await vi.waitFor(
      async () => {
        const folders = await readdir(join(i.stateDir, 'vm'));
        expect(folders).toHaveLength(wanted.size);
      },
      { timeout: 90_000, interval: 1_000 },
    );
  });

  test('down leaves no process and keeps the state; up finds the agent again', async () => {
    ok(await i.stack('down'));
    expect((await statusOf(i)).filter((p) => p.pid !== undefined)).toEqual([]);
    ok(await i.stack('up'));
    expect(ok(await i.svc('call', 'greeter', 'greet', 'name=Back')).stdout).toContain('Hello, Back!');
  });
});

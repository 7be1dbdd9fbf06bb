import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { signCaller } from '#contract/crypto/caller-token.ts';
import { CALLER_TTL_SECONDS, type Caller } from '#contract/wire/caller.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { ServiceDeclaration } from '#contract/wire/service.ts';
import type { BuildInput, BuildOutput, LogLine, StartInput } from '#drivers/runtime/port.ts';
import { pythonIndex, type PythonIndex } from '../test/python-index.ts';
import { callAgent, invoke, sourceOf, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { testHost, type TestHost } from '../test/support.ts';
import { ticksThroughSleep } from '../test/ticks.ts';

// Agents in Python from source to clone, in real machines, with an index on loopback. What the worker does
// wherever it runs (deadlines, deaths, a startup that fails) is in test/languages/python.parts.test.ts, what
// a declaration may get wrong in sdk/python/tests/test_declare.py.
const never = new AbortController().signal;
const BUILD_MEMORY_MIB = 256;
/** Its files, the programs and the kernel do not fit into that memory. */
const HEAVY_BYTES = 200 * 1_048_576;
let host: TestHost;
let index: PythonIndex;
type Line = Omit<LogLine, 'seq'>;

const agent = `import asyncio, os, random, secrets, ssl, sys, threading, uuid
from pydantic import BaseModel
from svc import Agent, RunContext, skill
import helpers.words
import loudly
print("loaded", file=sys.stderr)

class Drawn(BaseModel):
    random: float
    uuid: str
    secret: str
    openssl: str

class Tester(Agent):
    name = "tester"
    description = "Shows what Python agents do."
    version = "1.0.0"

    calls = 0

    async def startup(self, ctx) -> None:
        print("started", flush=True)

    async def shutdown(self, ctx) -> None:
        print("shut down", flush=True)

    @skill(description="Counts its calls.")
    async def count(self, ctx: RunContext) -> int:
        self.calls += 1
        return self.calls

    @skill(description="Says who calls.", scopes=("admin",))
    async def who(self, ctx: RunContext) -> dict[str, object]:
        return {} if ctx.caller is None else ctx.caller.model_dump()

    @skill(description="Shouts a word.")
    async def shout(self, ctx: RunContext, text: str) -> str:
        return loudly.shout(helpers.words.WORDS.get(text, text))

    @skill(description="Draws random numbers from every source.")
    async def draw(self, ctx: RunContext) -> Drawn:
        return Drawn(random=random.random(), uuid=str(uuid.uuid4()), secret=secrets.token_hex(8), openssl=ssl.RAND_bytes(8).hex())

    @skill(description="What it knows.")
    async def reveal(self, ctx: RunContext) -> dict[str, object]:
        return {"secret": ctx.secret("TOKEN"), "leaked": ctx.secret("TOKEN") in os.environ.values(), "env": os.environ.get("GREETING"), "uid": os.getuid(), "cwd": os.getcwd(), "rss_kib": int(next(l for l in open("/proc/self/status") if l.startswith("VmRSS")).split()[1]), "files": open("data.txt").read(), "available_kib": int(next(l for l in open("/proc/meminfo") if l.startswith("MemAvailable")).split()[1]), "node_rss_kib": int(next(l for l in open(f"/proc/{os.getppid()}/status") if l.startswith("VmRSS")).split()[1])}

    @skill(description="Ticks.", stream=True)
    async def ticks(self, ctx: RunContext, count: int) -> int:
        for n in range(count):
            await ctx.emit_text_delta(f"tick {n} ")
            await asyncio.sleep(0.2)
        return count

    @skill(description="What of a package came compiled.")
    async def compiled(self, ctx: RunContext) -> dict[str, bool]:
        folder = os.path.dirname(sys.modules["heavy"].__file__) + "/__pycache__/"
        return {"imported": os.path.exists(folder + "part.cpython-311.pyc"), "other": os.path.exists(folder + "other.cpython-311.pyc")}
`;
const project: Record<string, string> = {
  'svc.yaml': 'name: tester\nversion: 1.0.0\nentrypoint: agent:Tester\n',
  'agent.py': agent,
  'helpers/__init__.py': '',
  'helpers/words.py': 'WORDS = {"hi": "good day"}\n',
  'data.txt': 'data',
  'requirements.txt': 'svc-sdk\nloudly==1.0.0\n',
};

beforeAll(async () => {
  index = await pythonIndex([
    {
      name: 'loudly',
      files: { 'loudly.py': 'from punctuated import END\ndef shout(text): return text.upper() + END\n' },
      requires: ['punctuated', 'svc-sdk>=0.1'],
    },
    { name: 'punctuated', files: { 'punctuated.py': 'END = "!"\n' } },
    {
      name: 'heavy',
      files: { 'heavy/__init__.py': '', 'heavy/part.py': 'PART = 1\n', 'heavy/other.py': 'OTHER = 1\n' },
      large: { 'heavy/weights.bin': HEAVY_BYTES },
    },
  ]);
  const plans = JSON.stringify({ small: { image_mib: 64, disk_mib: 160, tenants: ['on-a-small-plan'] } });
  host = await testHost({ PIP_INDEX_URL: index.url, SVC_PAUSE_AFTER_SECONDS: '300', SVC_BUILD_PLANS: plans, SVC_BUILD_MEMORY_MIB: String(BUILD_MEMORY_MIB) });
});
afterAll(async () => {
  index?.close();
  await host?.end();
});

async function build(files: Record<string, string>, lines: Line[] = [], tenant = 'test', more: Partial<BuildInput> = {}): Promise<BuildOutput> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-project-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), text);
    }
    const input = { build_id: uniqueId('b'), tenant, source: sourceOf(dir), language: 'python' as const, entrypoint: 'agent:Tester', ...more };
    return await host.runtime.build(input, (line) => lines.push(line), never);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
async function started(image: string, change: Partial<StartInput> = {}): Promise<string> {
  const input = startInput(image, { agent: 'tester', ...change });
  await host.runtime.start(input, () => undefined, never);
  return input.instance_id;
}
const call = (id: string, skill: string, args: unknown = {}) => invoke(host.runtime, id, skill, args);

describe('an agent in Python', () => {
  const deployment_id = uniqueId('d');
  const files = { ...project, 'requirements.txt': `svc-sdk\nloudly==1.0.0 # ${uniqueId('k')}\n` };
  let built: BuildOutput;
  let id = '';
  beforeAll(async () => {
    const lines: Line[] = [];
    built = await build(files, lines).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${lines.map((line) => line.text).join('\n')}`);
    });
    id = await started(built.image, { deployment_id });
  });

  test('is built with its dependencies; the card is known after the build, and the served one is the same', async () => {
    expect(built).toMatchObject({ cached: false, card: { name: 'tester', version: '1.0.0' } });
    const served = await callAgent(host.runtime.address(id), '/.well-known/agent-card');
    expect(served.body).toEqual(built.card);
    // The platform provides the SDK: the index is never asked for it.
    expect(index.asked.some((path) => path.includes('svc-sdk') || path.includes('svc_sdk'))).toBe(false);
  });

  test('answers behind its key, with its modules, files, environment and secrets', async () => {
    expect((await call(id, 'shout', { text: 'hi' })).body).toBe('GOOD DAY!');
    const revealed = (await call(id, 'reveal')).body;
    expect(revealed).toMatchObject({ secret: 'the-secret-value', leaked: false, env: 'hi', uid: 1000, cwd: '/app', files: 'data' });
    expect((await callAgent(host.runtime.address(id), '/invoke/count', {}, 'another-key')).status).toBe(401);
    expect((await call(id, 'shout', { text: 7 })).status).toBe(400);
  });

  test('knows who calls only by the platform, and lets in whom the platform gives the scopes', async () => {
    const caller: Caller = {
      kind: 'user', sub: 'usr_1', user_id: 7, email: 'ada@example.test', org_id: null, org_slug: null, scopes: ['admin'], trusted: true, agent: null, on_behalf_of: null,
    }; // prettier-ignore
    const exp = Math.floor(Date.now() / 1000) + CALLER_TTL_SECONDS;
    const by = (key: string, told = caller) =>
      callAgent(host.runtime.address(id), '/invoke/who', {}, 'the-api-key', { [HEADER.caller]: signCaller({ caller: told, run: null, exp }, key) });
    expect(await by('the-api-key')).toMatchObject({ status: 200, body: caller });
    expect((await by('the-api-key', { ...caller, scopes: [] })).status).toBe(403);
    expect((await by('the-key-of-another')).status).toBe(403);
    expect((await call(id, 'who')).status).toBe(403);
  });

  test('streams, also through a sleep', async () => {
    const text = await ticksThroughSleep(host, id, { count: 5 });
    for (let n = 0; n < 5; n++) expect(text.split(`tick ${n} `)).toHaveLength(2);
    expect(text).toMatch(/event: result/);
  });

  test.each(['paused', 'suspended'] as const)('%s, it goes on where it was', async (tier) => {
    const before = Number((await call(id, 'count')).body);
    await host.runtime.sleep(id, tier);
    expect((await call(id, 'count')).body).toBe(before + 1);
  });

  test('clones of one snapshot share no random number, from any source', async () => {
    const others = await Promise.all([1, 2, 3].map(() => started(built.image, { deployment_id })));
    const drawn: Record<string, unknown>[] = [];
    for (const each of [id, ...others]) drawn.push(asRecord((await call(each, 'draw')).body));
    for (const source of ['random', 'uuid', 'secret', 'openssl']) expect(new Set(drawn.map((one) => one[source])).size, source).toBe(4);
    await Promise.all(others.map((each) => host.runtime.stop(each)));
  });

  test('its hooks run once each: its shutdown when the machine ends', async () => {
    await host.runtime.sleep(id, 'cold');
    const lines = await host.runtime.logs(id, { limit: 10_000 });
    expect(lines.flatMap(({ text }) => /"message":"(started|shut down)"/.exec(text)?.[1] ?? [])).toEqual(['started', 'shut down']);
  });

  test('the same pinned requirements come from the cache', async () => {
    expect(built.cached).toBe(false);
    const asked = index.asked.length;
    expect((await build({ ...files, 'data.txt': 'other data' })).cached).toBe(true);
    expect(index.asked.length).toBe(asked);
  });
});

const SERVICE = {
  'app.py': `import json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/end": os._exit(3)
        found = json.dumps({"path": self.path, "token": os.environ.get("TOKEN"), "run": self.headers["x-svc-run-id"]}).encode()
        self.send_response(200); self.send_header("content-type", "application/json"); self.send_header("content-length", str(len(found))); self.end_headers()
        self.wfile.write(found)
    def log_message(self, *words): pass
if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`,
  'openapi.yaml': `openapi: 3.0.0
info: { title: Things }
paths:
  /things/{id}:
    get:
      operationId: thing
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: The thing. } }
  /end: { get: { operationId: end, responses: {} } }
`,
};

test('a service is started beside the runtime; its operations are skills, through a sleep, its own death and other secrets', async () => {
  const declaration = ServiceDeclaration.parse({ openapi: 'openapi.yaml', required_secrets: ['TOKEN'] });
  const service = { name: 'tester', version: '1.0.0', declaration };
  const built = await build(SERVICE, [], 'test', { entrypoint: 'app:main', service });
  expect(built.card).toMatchObject({ name: 'tester', description: 'Things', skills: [{ id: 'thing' }, { id: 'end' }] });
  const id = await started(built.image, { secrets: { TOKEN: 'one' } });
  const found = { status: 200, body: { path: '/things/a%20b', token: 'one', run: expect.stringMatching(/./) } };
  expect(await call(id, 'thing', { id: 'a b' })).toMatchObject(found);
  await host.runtime.sleep(id, 'suspended');
  expect(await call(id, 'thing', { id: 'a b' })).toMatchObject(found);
  expect(await call(id, 'end')).toMatchObject({ status: 502, body: { detail: { message: 'the service was not reached' } } });
  await vi.waitFor(async () => expect(await call(id, 'thing', { id: 'a b' })).toMatchObject(found), { timeout: 60_000 });
});

describe('large dependencies', () => {
  const large = { ...project, 'agent.py': agent.replace('import loudly', 'import loudly\nimport heavy.part') };

  test('more than fits into memory is installed, with progress; only what is imported is compiled; the cache has it', async () => {
    const lines: Line[] = [];
    const files = { ...large, 'requirements.txt': `loudly==1.0.0\npunctuated==1.0.0\nheavy==1.0.0 # ${uniqueId('k')}\n` };
    const first = await build(files, lines);
    const said = lines.map(({ text }) => text).join('\n');
    expect(said).toMatch(/Downloading heavy \(\d+/);
    expect(said).toMatch(/Compiling what the project imports/);
    expect(first).toMatchObject({ cached: false });
    expect(first.size_bytes).toBeGreaterThan(HEAVY_BYTES);
    expect((await build({ ...files, 'data.txt': 'other' })).cached).toBe(true);
    const id = await started(first.image);
    expect((await call(id, 'compiled')).body).toEqual({ imported: true, other: false });
    expect((await call(id, 'shout', { text: 'hi' })).body).toBe('GOOD DAY!');
    await host.runtime.stop(id);
  });

  test('more than the plan allows is refused by its name, with what to do', async () => {
    const files = { ...large, 'requirements.txt': 'loudly==1.0.0\nheavy==1.0.0\n' };
    const refusal = {
      code: 'build_failed',
      message: expect.stringMatching(/MiB that are allowed\. That is the limit of the plan "small".*ask the operator.*SVC_BUILD_PLANS/),
    };
    await expect(build(files, [], 'on-a-small-plan')).rejects.toMatchObject(refusal);
  });
});

describe('a broken project names file, line and remedy', () => {
  const bare = { 'svc.yaml': project['svc.yaml'] ?? '' };
  test.each([
    ['a syntax error', { 'agent.py': 'from svc import Agent\n\nclass Tester(Agent:\n    pass\n' }, /agent\.py:3: error: .*SyntaxError/],
    ['a package nobody has', { 'agent.py': '', 'requirements.txt': 'nobody-has-this==1\n' }, /Installing the dependencies failed: .*nobody-has-this/],
  ])('%s', async (_name, files, message) => {
    await expect(build({ ...bare, ...files })).rejects.toMatchObject({ code: 'build_failed', message: expect.stringMatching(message) });
  });
});

/** Answers of this file's own agent. */
const asRecord = (value: unknown): Record<string, unknown> => value as Record<string, unknown>;

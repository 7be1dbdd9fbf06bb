// `svc test` on projects as `svc init` makes them, and on broken ones.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startProvider } from '#test/support/provider/provider.ts';
import { preflight, type Finding, type Preflight } from './preflight.ts';
import { scaffold } from './scaffold.ts';
import { cites } from '#test/spec/verifies.ts';

let home: string;
let folder: string;
let source: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-preflight-'));
  ({ folder } = await scaffold({ name: 'hello', description: 'Says hello', target: home, language: 'typescript' }));
  source = await readFile(join(folder, 'agent.ts'), 'utf8');
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function findings(agent: string, more: Partial<Preflight> = {}): Promise<Finding[]> {
  await writeFile(join(folder, 'agent.ts'), agent);
  const options: Preflight = { folder, envFile: { path: '.env.local', named: false }, workspace: undefined, invoke: false, skill: undefined, args: undefined };
  return Array.fromAsync(preflight({ ...options, ...more }));
}

describe('svc test', () => {
  it('looks at the project, and runs each skill once where asked to', cites('cli.test'), async () => {
    expect(await findings(source, { invoke: true })).toEqual([
      { check: 'project', state: 'ok', says: 'hello 0.1.0: agent.ts, greet, count' },
      { check: 'schemas', state: 'ok', says: 'arguments and results' },
      { check: 'invoke greet', state: 'ok', says: expect.stringMatching(/^\{"name":"a"\} → \{"greeting":"Hello, a!"\} \(\d+ ms\)$/) },
      { check: 'invoke count', state: 'ok', says: expect.stringMatching(/^\{\} → \{"counted":3\}/) },
    ]);
  });

  it('takes arguments for one skill', async () => {
    const [finding, ...none] = (await findings(source, { invoke: true, skill: 'count', args: { to: 7 } })).filter(({ check }) => check.startsWith('invoke'));
    expect([finding?.says, none]).toEqual([expect.stringContaining('{"counted":7}'), []]);
  });

  it('only looks with --no-invoke, and still knows a skill that does not exist', async () => {
    expect((await findings(source, { invoke: false, skill: 'count' })).map(({ check }) => check)).toEqual(['project', 'schemas']);
    await expect(findings(source, { invoke: false, skill: 'other' })).rejects.toThrow(/no skill "other"/);
  });

  it('names what a deploy would miss, from the environment and the file for it', async () => {
    const needy = source.replace(
      "version = '0.1.0';",
      "version = '0.1.0';\n  override requiredSecrets = ['API_TOKEN', 'OTHER'];\n  override requiredEnv = ['REGION'];",
    );
    await writeFile(join(folder, '.env.local'), 'API_TOKEN=abc\nREGION="eu"\n');
    const found = await findings(needy);
    expect(found).toContainEqual({ check: 'secrets', state: 'warning', says: expect.stringMatching(/^not set: OTHER\. Put them into \.env\.local/) });
    expect(found).toContainEqual({ check: 'environment', state: 'ok', says: 'REGION' });
    await rm(join(folder, '.env.local'));
    await expect(findings(needy, { envFile: { path: 'gone.env', named: true } })).rejects.toThrow(/gone\.env cannot be read/);
  });

  it('gives secrets of the file to the skills it runs', async () => {
    await writeFile(join(folder, '.env.local'), 'API_TOKEN=abc\n');
    const telling = source
      .replace("version = '0.1.0';", "version = '0.1.0';\n  override requiredSecrets = ['API_TOKEN'];")
      .replace('async (_ctx, { name }) => ({ greeting: `Hello, ${name}!` })', "async (ctx) => ({ greeting: ctx.secret('API_TOKEN') })");
    const found = await findings(telling, { invoke: true, skill: 'greet' });
    await rm(join(folder, '.env.local'));
    expect(found.at(-1)).toMatchObject({ state: 'ok', says: expect.stringContaining('"greeting":"abc"') });
  });

  it('records what models answer, then runs the same without them; also for tests of the project’s own', async () => {
    const asking = source.replace(
      'async (_ctx, { name }) => ({ greeting: `Hello, ${name}!` })',
      'async (ctx, { name }) => ({ greeting: (await ctx.llm.generate(name)).text })',
    );
    const manifest = await readFile(join(folder, 'svc.yaml'), 'utf8');
    await writeFile(join(folder, 'svc.yaml'), `${manifest}models: { default: m-1 }\n`);
    // What any client does, in any language: the address is in the environment.
    const ask = `fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body: JSON.stringify({ model: process.env.SVC_MODEL }) })`;
    const command = [process.execPath, '-e', `${ask}.then((r) => r.json()).then((a) => console.log(a.choices[0].message.content))`];
    const provider = await startProvider();
    vi.stubEnv('OPENAI_BASE_URL', provider.url);
    vi.stubEnv('OPENAI_API_KEY', 'sk-own');
    const said: string[] = [];
    const trial = async (mode: 'record' | 'replay', args: Record<string, unknown>): Promise<Finding[]> => {
      const models = { mode, folder: 'recorded' };
      return (await findings(asking, { invoke: true, skill: 'greet', args, models, command, say: (text) => said.push(text) })).slice(-3);
    };
    try {
      const answered = { check: 'invoke greet', state: 'ok', says: expect.stringContaining('{"greeting":"Hello, wörld 🙂"}') };
      const own = { check: 'tests', state: 'ok', says: command.join(' ') };
      const recorded = { check: 'models', state: 'ok', says: expect.stringContaining('2 requests recorded in recorded:') };
      expect(await trial('record', { name: 'Ada' })).toEqual([answered, own, recorded]);
      expect(provider.asked).toHaveLength(2);
      await provider.close();
      for (const name of ['OPENAI_BASE_URL', 'OPENAI_API_KEY']) vi.stubEnv(name, undefined);
      const replayed = { check: 'models', state: 'ok', says: '2 requests answered from 2 of 2 recordings' };
      expect(await trial('replay', { name: 'Ada' })).toEqual([answered, own, replayed]);
      expect(said.filter((text) => text === 'Hello, wörld 🙂\n')).toHaveLength(2);
      const [failed, , unknown] = await trial('replay', { name: 'Ben' });
      expect([failed?.state, unknown?.state]).toEqual(['failed', 'failed']);
      expect(unknown?.says).toMatch(/is recorded in .*differs from it in: messages\. Record it: svc test --record$/);
    } finally {
      vi.unstubAllEnvs();
      await provider.close();
      await writeFile(join(folder, 'svc.yaml'), manifest);
    }
  });

  it('fails for a skill that fails, skips what it cannot guess, says what a skill asks', async () => {
    const odd = source
      .replace('z.string().min(1)', 'z.string().regex(/^[A-Z]{2}-\\d{7}$/)')
      .replace('ctx.checkCancelled();', "if (step === 2) await ctx.ask('Go on?');");
    const found = await findings(odd, { invoke: true });
    expect(found.slice(-2)).toEqual([
      { check: 'invoke greet', state: 'skipped', says: expect.stringContaining("svc test --invoke --skill greet --args-json '{…}'") },
      { check: 'invoke count', state: 'ok', says: expect.stringContaining('asks "Go on?"') },
    ]);
    const failing = await findings(source.replace('greeting: `Hello, ${name}!`', 'greeting: Reflect.get(Object(name), "missing").member'), {
      invoke: true,
      skill: 'greet',
    });
    expect(failing.at(-1)).toMatchObject({ state: 'failed', says: expect.stringContaining('failed; the agent') });
  });

  it('names file and line of a project that does not load', async () => {
    expect(await findings(source.replace('name = ', 'name = = '))).toEqual([
      { check: 'project', state: 'failed', says: expect.stringMatching(/agent\.ts:4: SyntaxError/) },
    ]);
  });
});

// Agents that choose their Python or Node, from source to an answer, in real machines. Which version a
// project means: contract/wire/language-version.test.ts.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NODE_RELEASES } from '#contract/wire/language-version.ts';
import { invoke, sourceOf, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import type { BuildInput, BuildOutput } from '#drivers/runtime/port.ts';
import { ensureWheels } from '../build/python/wheels.ts';
import { otherPython } from '../test/other-python.ts';
import { type PythonIndex, pythonIndex } from '../test/python-index.ts';
import { cacheDir, testHost, type TestHost } from '../test/support.ts';

const never = new AbortController().signal;
let host: TestHost;
let index: PythonIndex;
let python: Awaited<ReturnType<typeof otherPython>>;

beforeAll(async () => {
  python = await otherPython(cacheDir);
  // Before the host's own index is one of a few packages.
  await ensureWheels(join(cacheDir, 'microvm'), '3.13', () => undefined);
  index = await pythonIndex([{ name: 'loudly', files: { 'loudly.py': 'def shout(text): return text.upper()\n' } }]);
  host = await testHost({ PIP_INDEX_URL: index.url, UV_PYTHON_DOWNLOADS_JSON_URL: python.list });
}, 1_500_000);
afterAll(async () => {
  index?.close();
  await host?.end();
});

async function build(files: Record<string, string>, more: Pick<BuildInput, 'language' | 'entrypoint' | 'language_version'>): Promise<BuildOutput> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-project-'));
  const lines: string[] = [];
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), text);
    }
    return await host.runtime.build({ build_id: uniqueId('b'), tenant: 'test', source: sourceOf(dir), ...more }, (line) => lines.push(line.text), never);
  } catch (error) {
    throw new Error(`${String(error)}\n${lines.join('\n')}`, { cause: error });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function answer(image: string, skill: string): Promise<unknown> {
  const input = startInput(image, { agent: 'tester' });
  await host.runtime.start(input, () => undefined, never);
  const before = await invoke(host.runtime, input.instance_id, skill);
  expect(before.status, before.text).toBe(200);
  // A wake from nothing starts the same version.
  await host.runtime.sleep(input.instance_id, 'cold');
  const after = await invoke(host.runtime, input.instance_id, skill);
  expect(after.body).toEqual(before.body);
  return before.body;
}

const PYTHON = `import sys, ssl
from svc import Agent, RunContext, skill
import loudly

class Tester(Agent):
    name = "tester"
    description = "Says what it runs on."
    version = "1.0.0"

    @skill(description="Says what it runs on.")
    async def tell(self, ctx: RunContext) -> dict[str, object]:
        from pydantic_core import _pydantic_core
        return {"version": sys.version.split()[0], "prefix": sys.prefix, "said": loudly.shout("hi"), "core": _pydantic_core.__file__}
`;

test('an agent on Python 3.13 has it in its image, with its packages', async () => {
  const files = { 'agent.py': PYTHON, 'requirements.txt': `loudly==1.0.0 # ${uniqueId('k')}\n` };
  const asked = { language: 'python', entrypoint: 'agent:Tester', language_version: '3.13' } as const;
  const built = await build(files, asked);
  expect(built).toMatchObject({ runs_on: `Python ${python.version}`, cached: false, card: { name: 'tester' } });
  expect(await answer(built.image, 'tell')).toEqual({
    version: python.version,
    prefix: '/opt/python3.13',
    said: 'HI',
    core: expect.stringContaining('cpython-313-x86_64'),
  });
  // Neither is fetched again.
  const before = index.asked.length;
  expect(await build({ ...files, 'data.txt': '' }, asked)).toMatchObject({ cached: true, runs_on: `Python ${python.version}` });
  expect(index.asked.length).toBe(before);
}, 1_500_000);

test('an agent on Node 26 has it in its image', async () => {
  const source = `import { Agent, skill, z } from '@svc/sdk';
export class Tester extends Agent {
  override name = 'tester';
  override description = '';
  override version = '1.0.0';
  tell = skill({ description: '', input: z.object({}), output: z.unknown() }, async () => ({ version: process.version, path: process.execPath }));
}
`;
  const built = await build({ 'agent.ts': source }, { language: 'typescript', entrypoint: 'agent:Tester', language_version: '26' });
  expect(built.runs_on).toBe(`Node ${NODE_RELEASES['26']}`);
  expect(await answer(built.image, 'tell')).toEqual({ version: `v${NODE_RELEASES['26']}`, path: '/usr/local/bin/node' });
}, 1_500_000);

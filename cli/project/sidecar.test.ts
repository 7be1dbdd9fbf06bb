// svc sidecar when its worker does not exist.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTool, type Tool } from '../test/tool.ts';
import { cites } from '#test/spec/verifies.ts';

let tool: Tool;
let dsl: string;
beforeAll(async () => {
  tool = await makeTool('http://localhost:1', '/nowhere');
  dsl = join(tool.home, 'agent.dsl.json');
  const template = await readFile(new URL('../templates/go/agent.dsl.json.tmpl', import.meta.url), 'utf8');
  await writeFile(dsl, template.replaceAll('{{name}}', 'adder').replaceAll('{{description}}', '"Adds"').replaceAll('{{Class}}', 'Adder'));
});
afterAll(() => tool.remove());

test('an address that leads nowhere ends it with one sentence', cites('cli.sidecar'), async () => {
  const { code, err } = await tool.spawn(['sidecar', '--dsl', dsl, '--port', '0', '--worker-url', 'http://no-such-host.invalid:9']).ended;
  expect(code).toBe(1);
  expect(err.split('\n').filter((line) => line !== '')).toEqual([
    expect.stringMatching(/^connecting to the worker/),
    expect.stringMatching(/^the worker cannot be reached: .*--worker-url$/),
  ]);
});

test('a signal while it waits for its worker ends it, and nothing is printed of its insides', async () => {
  const child = tool.spawn(['sidecar', '--dsl', dsl, '--port', '0', '--worker-url', 'http://127.0.0.1:1']);
  await child.saw(/connecting to the worker/);
  child.process.kill('SIGTERM');
  const { code, err } = await child.ended;
  expect({ code, err }).toEqual({ code: 130, err: 'connecting to the worker at http://127.0.0.1:1/ …\n' });
});

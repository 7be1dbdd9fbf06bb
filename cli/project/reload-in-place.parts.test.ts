// Changed code in the process that serves already, as in a dev box.
import type { ChildProcess } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { hostProject, type Hosted } from './host.ts';
import { ask as askAgent } from './test/ask.ts';

let folder: string;
let hosted: Hosted;
let said = '';
const processes: ChildProcess[] = [];

const agent = (field: string): string => `
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Agent, skill, z } from '@svc/sdk';
import { word } from './word';
import plain from './plain.cjs';
import data from './data.json' with { type: 'json' };
export class Worder extends Agent {
  name = 'worder';
  description = 'Says words';
  version = '0.1.0';
  ${field} = skill({ description: 'Words.', input: z.object({}), output: z.string() }, async () => [word, plain.word, data.word].join(' '));
  slow = skill({ description: 'Words, later.', input: z.object({}), output: z.string() }, async () => {
    await writeFile(${JSON.stringify(join(folder, 'begun'))}, '');
    while (!existsSync(${JSON.stringify(join(folder, 'goes-on'))})) await new Promise((resolve) => setTimeout(resolve, 20));
    return word;
  });
}
`;
const write = (name: string, content: string): Promise<void> => writeFile(join(folder, name), content);

const ask = (skill: string): Promise<unknown> => askAgent(hosted.url, skill);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-in-place-'));
  await mkdir(folder, { recursive: true });
  await write('agent.ts', agent('words'));
  await write('word.ts', `export const word: string = 'one';`);
  await write('plain.cjs', `module.exports = { word: 'plain' };`);
  await write('data.json', '{"word":"data"}');
  hosted = await hostProject({
    folder,
    entrypoint: 'agent:Worder',
    host: '127.0.0.1',
    port: 0,
    reload: true,
    watch: false,
    inPlace: true,
    note: (line) => (said += line),
    complain: (line) => (said += line),
    onProcess: (child) => processes.push(child),
  });
});
afterAll(async () => {
  await hosted?.close();
  await rm(folder, { recursive: true, force: true });
});

it('takes up changed modules of each kind in the same process; runs from before finish as they began', async () => {
  expect(await ask('words')).toBe('one plain data');
  const before = ask('slow');
  await vi.waitFor(() => access(join(folder, 'begun')));
  await write('word.ts', `export const word: string = 'two';`);
  await write('plain.cjs', `module.exports = { word: 'plainer' };`);
  await write('data.json', '{"word":"more"}');
  expect(await hosted.take(['word.ts', 'plain.cjs', 'data.json'])).toBe(true);
  expect(await ask('words')).toBe('two plainer more');
  await write('goes-on', '');
  expect(await before).toBe('one');
  await write('agent.ts', agent('others'));
  expect(await hosted.take(['agent.ts'])).toBe(true);
  expect(hosted.card().skills.map(({ id }) => id)).toContain('others');
  expect([await ask('others'), await ask('words')]).toEqual(['two plainer more', 404]);
  expect(processes).toHaveLength(1);
});

it('shows what is wrong by file and line, and serves what it served', async () => {
  await write('word.ts', `\n\nexport const word: string = missing;`);
  expect(await hosted.take(['word.ts'])).toBe(false);
  // Shown from the folder that the tool was started in, wherever that is.
  expect(said).toMatch(/\/word\.ts:3:29: ReferenceError/);
  expect(await ask('others')).toBe('two plainer more');
  await write('word.ts', `export const word = 'three';`);
  expect(await hosted.take(['word.ts'])).toBe(true);
  expect(await ask('others')).toBe('three plainer more');
});

it('starts another process where it is asked to, and where the one before has ended', async () => {
  expect(await hosted.take([], { anew: true })).toBe(true);
  expect(await ask('others')).toBe('three plainer more');
  expect(processes).toHaveLength(2);
  const [, second] = processes;
  const gone = new Promise((resolve) => second?.once('exit', resolve));
  second?.kill('SIGKILL');
  await gone;
  expect(await hosted.take(['agent.ts'])).toBe(true);
  expect(await ask('others')).toBe('three plainer more');
  expect(processes).toHaveLength(3);
});

// Advice can be typed again as it stands: by the name on the person's PATH, else by the path of what they
// started.
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asInvoked, typedName } from './invoked.ts';

let folder: string;
let script: string;
const at = (...path: string[]): string => join(folder, ...path);
const on = (...folders: string[]): string => [...folders, '/usr/bin', '/bin'].join(':');

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-invoked-')));
  script = at('clone/bin.mjs');
  for (const one of ['clone', 'bin', 'other', 'a clone', 'clone/node_modules/.bin']) await mkdir(at(one), { recursive: true });
  for (const one of [script, at('other/svc'), at('a clone/bin.mjs')]) {
    await writeFile(one, '#!/usr/bin/env node\n');
    await chmod(one, 0o755);
  }
  await writeFile(at('clone/plain.mjs'), '');
  await symlink(script, at('bin/svc'));
  await symlink(script, at('clone/node_modules/.bin/svc'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a tool on the PATH is svc, whichever of its paths was started', () => {
  expect(typedName(at('bin/svc'), { PATH: on(at('bin')) })).toBe('svc');
  expect(typedName(script, { PATH: on(at('bin')) })).toBe('svc');
});

test('any other is named by its path: the PATH has none, or has another program of that name first', () => {
  expect(typedName(at('bin/svc'), { PATH: on() })).toBe(at('bin/svc'));
  expect(typedName(script, { PATH: on(at('other'), at('bin')) })).toBe(script);
  expect(typedName(script, {})).toBe(script);
});

test('through npx or a script of npm it is the path of the file itself, which works in every folder', () => {
  const link = at('clone/node_modules/.bin/svc');
  expect(typedName(link, { npm_command: 'exec', PATH: on(at('clone/node_modules/.bin')) })).toBe(script);
  expect(typedName(link, { npm_command: 'exec', PATH: on(at('clone/node_modules/.bin'), at('bin')) })).toBe('svc');
  expect(typedName(link, { PATH: on(at('clone/node_modules/.bin')) })).toBe('svc');
});

test('a file that cannot be started alone is started by node; a path that a shell would split is quoted', () => {
  expect(typedName(at('clone/plain.mjs'), { PATH: on() })).toBe(`node ${at('clone/plain.mjs')}`);
  expect(typedName(at('a clone/bin.mjs'), { PATH: on() })).toBe(`'${at('a clone/bin.mjs')}'`);
});

test('texts name commands by it, and nothing else changes', () => {
  const text = 'Usage: svc COMMAND. Run "svc login" or svc <agent>; svc.yaml, docs/svc files, svc: the tool';
  expect(asInvoked(text, 'svc')).toBe(text);
  expect(asInvoked(text, '/x/svc')).toBe('Usage: /x/svc COMMAND. Run "/x/svc login" or /x/svc <agent>; svc.yaml, docs/svc files, svc: the tool');
});

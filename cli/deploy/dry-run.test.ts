// svc deploy --dry-run, and what is refused before anything is packed or sent.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../lib/exit-codes.ts';
import { makeTool, type Tool } from '../test/tool.ts';

let tool: Tool;
let folder: string;
beforeAll(async () => {
  // Nobody answers there: what is asked nothing works signed out.
  tool = await makeTool('http://localhost:1', '/nowhere');
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-dry-'));
  await put('svc.yaml', 'name: text-kit\nversion: 0.1.0\nentrypoint: agent:TextKit\n');
  await put('agent.ts', 'x'.repeat(3000));
  return () => rm(folder, { recursive: true });
});
afterAll(() => tool.remove());

async function put(path: string, content: string | Buffer = 'x'): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

test('it lists what would be sent, and what is left out by which rule of which file; signed out, and nothing is sent', async () => {
  for (const path of ['.env', 'debug.log', 'data/a.bin', 'lib/tmp/x', 'notes.md', 'node_modules/x/index.js']) await put(path);
  await put('.gitignore', 'data/\n');
  await put('lib/.gitignore', 'tmp\n');
  await put('.svcignore', '# mine\n/notes.md\n');
  await symlink('/etc/passwd', join(folder, 'link'));
  const { code, out } = await tool.run(['deploy', folder, '--dry-run']);
  expect(code).toBe(EXIT.ok);
  expect(out.split('\n')).toEqual([
    'Would send text-kit 0.1.0: 5 files, 3 KiB',
    '  1 KiB  .gitignore',
    '  1 KiB  .svcignore',
    '  3 KiB  agent.ts',
    '  1 KiB  lib/.gitignore',
    '  1 KiB  svc.yaml',
    'Left out:',
    '  .env           .env, which is never uploaded',
    '  data/          data/ in .gitignore',
    '  debug.log      *.log, unless .svcignore has !*.log',
    '  lib/tmp/       tmp in lib/.gitignore',
    '  link           a link or a special file',
    '  node_modules/  node_modules, which is never uploaded',
    '  notes.md       /notes.md in .svcignore',
    'Limits: 10000 files, 100 MiB, 50 MiB packed. Nothing was sent.',
    '',
  ]);
  const { left_out: leftOut } = JSON.parse((await tool.run(['deploy', folder, '--dry-run', '--json'])).out);
  expect(leftOut).toContainEqual({ path: 'data/', why: 'data/ in .gitignore' });
});

test('what a deploy would refuse ends it with 1: secrets, and 60 MB that do not shrink, with the largest files', async () => {
  await put('server.key', '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n');
  expect(await tool.run(['deploy', folder, '--dry-run'])).toMatchObject({ code: EXIT.failure, out: expect.stringContaining('  server.key  ') });
  await rm(join(folder, 'server.key'));
  await put('model.bin', randomBytes(60_000_000));
  await put('small.bin', randomBytes(1_000_000));
  const dry = await tool.run(['deploy', folder, '--dry-run']);
  expect(dry).toMatchObject({ code: EXIT.failure, err: expect.stringMatching(/about 58\.2 MiB packed: .*\n {2}57\.2 MiB +model\.bin\n/) });
  // Text shrinks.
  await put('model.bin', Buffer.alloc(60_000_000, 'the same again '));
  expect((await tool.run(['deploy', folder, '--dry-run'])).code).toBe(EXIT.ok);
  await put('model.bin', Buffer.alloc(105_000_000));
  expect((await tool.run(['deploy', folder, '--dry-run'])).err).toMatch(/^The project has 101\.1 MiB: an upload has 100 MiB at most/);
});

test('signed out, a deploy says so before it checks, packs and says "Uploading"', async () => {
  const ran = await tool.run(['deploy', folder]);
  expect(ran).toMatchObject({ code: EXIT.notSignedIn, out: '', err: expect.stringMatching(/^You are not signed in/) });
});

test('init refuses a name that the platform would refuse at the deploy', async () => {
  for (const name of ['api', 'greeter--dev', 'xn--80ak6aa92e'])
    expect(await tool.run(['init', name, '--target', folder])).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('choose another name') });
  expect(await readdir(folder)).toEqual(['agent.ts', 'svc.yaml']);
});

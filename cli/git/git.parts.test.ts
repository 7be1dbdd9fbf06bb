// svc clone and svc git-credential with git itself, against the real API.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from '#test/api/world.ts';
import { gitIn } from '#drivers/scm/test/serve-git.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { SDK_SPEC } from '../project/vendor.ts';
import { makeTool, type Tool } from '../test/tool.ts';
import { credentialSettings } from './settings.ts';

let world: World;
let tool: Tool;
let box: string;
beforeAll(async () => {
  world = await createWorld();
  tool = await makeTool(world.url, '/nowhere');
  box = await mkdtemp(join(tmpdir(), 'svc-clone-'));
  await world.as('ada').agents.fromSource({ body: { name: 'cloned' } });
});
afterAll(async () => {
  await tool.remove();
  await world.close();
  await rm(box, { recursive: true, force: true });
});

/** Git finds the tool where it was when it cloned. */
const PATH = `${join(import.meta.dirname, '../bin')}:${process.env.PATH}`;
const env = () => ({ SVC_TOKEN: world.tokens.ada, PATH });
const asked = (over: Record<string, string> = {}) => {
  const { protocol, host } = new URL(world.url);
  const facts = { protocol: protocol.slice(0, -1), host, path: 'git/cloned.git', ...over };
  return `${Object.entries(facts).map(([name, value]) => `${name}=${value}`).join('\n')}\n\n`; // prettier-ignore
};

test('clone makes a repository that fetches and pushes without a token in any file', async () => {
  const folder = join(box, 'cloned');
  const ran = await tool.spawn(['clone', 'cloned', folder], { ...env(), GIT_CONFIG_GLOBAL: '/dev/null' }).ended;
  expect(ran.code, ran.err).toBe(EXIT.ok);
  expect(ran.out.trim()).toBe(folder);
  const config = await readFile(join(folder, '.git', 'config'), 'utf8');
  expect(config).toContain('git-credential');
  expect(config).not.toMatch(/svc_git_|svc_[A-Za-z0-9_-]{20}/);
  await writeFile(join(folder, 'notes.txt'), 'x');
  await gitIn(folder, ['add', '-A']);
  await gitIn(folder, ['commit', '-q', '-m', 'first']);
  const pushed = await gitIn(folder, ['push', 'origin', 'HEAD:main'], env());
  expect([pushed.code, pushed.err]).toEqual([0, expect.stringContaining('remote: Not deployed: The project has no svc.yaml')]);
  // Without being signed in git says so, and does not ask for a password.
  const anonymous = await gitIn(folder, ['fetch', 'origin'], { SVC_TOKEN: '', PATH });
  expect([anonymous.code, anonymous.err]).toEqual([128, expect.stringContaining('svc login')]);
});

test('a clone of a project in TypeScript installs: the SDK that its package.json names is there again', async () => {
  const [source, folder] = [join(box, 'cloned'), join(box, 'again')];
  const project = { name: 'again', version: '0.1.0', type: 'module', dependencies: { '@svc/sdk': SDK_SPEC } };
  await writeFile(join(source, 'package.json'), JSON.stringify(project));
  await gitIn(source, ['add', '-A']);
  await gitIn(source, ['commit', '-q', '-m', 'a project']);
  expect((await gitIn(source, ['push', 'origin', 'HEAD:main'], env())).code).toBe(0);
  const ran = await tool.spawn(['clone', 'cloned', folder], { ...env(), GIT_CONFIG_GLOBAL: '/dev/null' }).ended;
  expect([ran.code, ran.err]).toEqual([EXIT.ok, expect.stringMatching(/Wrote vendor\/svc-sdk-\S+\.tgz/)]);
  await promisify(execFile)('npm', ['install', '--offline', '--no-audit', '--no-fund'], { cwd: folder });
  const use = "const { Agent } = await import('@svc/sdk'); process.exit(typeof Agent === 'function' ? 0 : 1)";
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', use], { cwd: folder });
});

test('clone --remote adds the agent to a repository that is there', async () => {
  const folder = join(box, 'there');
  await gitIn(box, ['init', '-q', '-b', 'main', folder]);
  const ran = await tool.spawn(['clone', 'cloned', '--remote', 'svc', '--project', folder], env()).ended;
  expect(ran.code, ran.err).toBe(EXIT.ok);
  expect(await gitIn(folder, ['fetch', 'svc'], env())).toMatchObject({ code: 0 });
  const again = await tool.spawn(['clone', 'cloned', '--remote', 'svc', '--project', folder], env()).ended;
  expect([again.code, again.err]).toEqual([EXIT.failure, expect.stringContaining('already exists')]);
  const settings = credentialSettings(world.url, { path: '', launcher: ['/a b/node', '/c/svc'] });
  // What npx puts on the path does not exist when git runs.
  const byNpx = join(import.meta.dirname, '../../node_modules/.bin');
  expect(credentialSettings(world.url, { path: byNpx, launcher: ['/a b/node', '/c/svc'] })).toEqual(settings);
  expect(settings.map(({ value }) => value)).toEqual(['', `!f() { test "$1" != get || '/a b/node' /c/svc git-credential --api ${world.url} get; }; f`, 'true']);
});

test('git-credential gives a token of one repository to git, and nothing to other addresses', async () => {
  const ran = await tool.run(['git-credential', 'get'], { stdin: asked(), env: env() });
  expect(ran.code, ran.err).toBe(EXIT.ok);
  expect(ran.out).toMatch(/^username=svc\npassword=svc_git_[\w-]{43}\npassword_expiry_utc=\d+\n$/);
  for (const over of [{ host: 'elsewhere.example' }, { protocol: 'https' }, { path: 'git/cloned.git/x' }, { path: '' }, { path: 'other' }])
    expect(await tool.run(['git-credential', 'get'], { stdin: asked(over), env: env() }), JSON.stringify(over)).toMatchObject({ code: EXIT.ok, out: '' });
  for (const operation of ['store', 'erase'])
    expect(await tool.run(['git-credential', operation], { stdin: asked(), env: env() })).toMatchObject({ code: EXIT.ok, out: '' });
  expect(await tool.run(['git-credential', 'get'], { stdin: asked() })).toMatchObject({ code: EXIT.notSignedIn, out: 'quit=1\n' });
  expect(await tool.run(['git-credential', 'get'], { stdin: asked({ path: 'git/no-such.git' }), env: env() })).toMatchObject({
    code: EXIT.failure,
    out: 'quit=1\n',
  });
  expect(await tool.run(['git-credential', 'give'], { stdin: '', env: env() })).toMatchObject({ code: EXIT.usage });
  const made = JSON.parse((await tool.run(['git-credential', 'get', '--json'], { stdin: asked(), env: env() })).out) as object;
  expect(made).toMatchObject({ username: 'svc', password: expect.stringMatching(/^svc_git_/) });
});

// What the tool says about itself, and about a command line that is wrong.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { commands } from './commands.ts';
import { EXIT } from './exit-codes.ts';
import { makeTool, type Tool } from './test/tool.ts';

let tool: Tool;
beforeAll(async () => {
  tool = await makeTool('http://localhost:1', '/nowhere');
});
afterAll(() => tool.remove());

test('every command has a page that names all it takes, and none shows the library’s placeholders', async () => {
  const overview = (await tool.run(['--help'])).out;
  for (const path of commands.flatMap(({ paths = [] }) => paths)) {
    expect(overview).toContain(path.join(' '));
    const { code, out } = await tool.run([...path, '--help']);
    expect(code).toBe(EXIT.ok);
    expect(out).toContain(`Usage: svc ${path.join(' ')} [OPTIONS]`);
    expect(out).not.toMatch(/#0|undefined/);
  }
});

test('a page gives values by name, defaults, short forms and the --no- form', async () => {
  const { out } = await tool.run(['deploy', '-h']);
  expect(out).toMatch(/-p, --project PATH +folder of the project \(default: \.\)/);
  expect(out).toMatch(/--wait, --no-wait +wait until it is live \(on by default\)/);
  expect((await tool.run(['help', 'call'])).out).toContain('AGENT TOOL [KEY=VALUE...]');
  expect((await tool.run(['help', 'files', 'rm'])).out).toContain('Usage: svc files rm [OPTIONS] PATH [PATH...]');
  expect((await tool.run(['run', '--help'])).out).toMatch(/-e, --entrypoint TEXT +module:Class \(required\)/);
});

test('a wrong command line says what is wrong and where to read on', async () => {
  expect(await tool.run(['run'])).toMatchObject({ code: EXIT.usage, err: '--entrypoint is required.\nSee: svc run --help\n' });
  for (const argv of [
    ['greeter', '--run', '--follow'],
    ['greeter', '--follow', '--run'],
  ])
    expect(await tool.run(['logs', ...argv])).toMatchObject({ code: EXIT.usage, err: '--run needs a value.\nSee: svc logs --help\n' });
  expect((await tool.run(['call', 'greeter'])).err).toContain('Something is missing. Usage: svc call [OPTIONS] AGENT TOOL');
  expect((await tool.run(['logout', 'now'])).err).toContain('Usage: svc logout [OPTIONS]');
  expect((await tool.run(['agents', '--all'])).err).toContain('There is no option --all here.');
  expect(await tool.run(['receipt'])).toMatchObject({ code: EXIT.usage, out: '' });
  expect((await tool.run(['receipt'])).err).toContain('receipt verify');
});

test.each([
  [['recipt'], 'Did you mean: svc receipt?'],
  [['receipt', 'vrify'], 'Did you mean: svc receipt verify?'],
  [['receipt', 'paint'], 'It has: list, show, verify.'],
  [['valdiate', '--help'], 'Did you mean: svc validate?'],
  [['help', 'cal'], 'Did you mean: svc call?'],
  [['agents', '--jsno'], 'Did you mean --json?'],
  [['init', 'x', '--language', 'typscript'], 'Did you mean typescript?'],
  [['completion', 'bsh'], 'Did you mean bash?'],
])('svc %j is corrected', async (argv, hint) => {
  const { code, out, err } = await tool.run(argv);
  expect({ code, out }).toEqual({ code: EXIT.usage, out: '' });
  expect(err).toContain(hint);
});

test('-V, -v, --version and version name the version of the package', async () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')));
  for (const word of ['-V', '-v', '--version', 'version']) expect(await tool.run([word])).toEqual({ code: EXIT.ok, out: `${version}\n`, err: '' });
});

test('who runs it through npx is told what they can type', async () => {
  const npx = { npm_command: 'exec', npm_lifecycle_event: 'npx' };
  expect((await tool.run(['whoami'], { env: npx })).err).toContain('with: npx svc login');
  expect((await tool.run(['whoami'])).err).toContain('with: svc login');
});

// The package as it is published, in a project that has nothing else.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entry as client } from '../client/build.ts';
import { writeDeclarations } from '../published.ts';
import { builtSdk } from '../../test/support/packages.ts';
import { typedEntries } from './build.ts';

const run = promisify(execFile);
const TYPES = fileURLToPath(new URL('../../node_modules/@types', import.meta.url));
const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

let project: string;
let sdk: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'svc-sdk-'));
  sdk = join(project, 'node_modules', '@svc', 'sdk');
  await cp(await builtSdk(), sdk, { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rm(project, { recursive: true, force: true }));

// Packages are made without this check, which takes as long again.
it('has no type error, and neither has the client', () => writeDeclarations([...typedEntries, client], join(project, 'checked'), { isChecked: true }));

it('imports nothing but node and itself', async () => {
  const files = (await readdir(join(sdk, 'dist'), { recursive: true })).filter((file) => file.endsWith('.js') && !file.startsWith('types'));
  expect(files.length).toBeGreaterThan(3);
  const seen = new Set<string>();
  for (const file of files) {
    const text = await readFile(join(sdk, 'dist', file), 'utf8');
    const imported = [...text.matchAll(/(?:^|;|\})(?:import|export)\s*(?:[\w*{][^;'"]*?from\s*)?["']([^"']+)["']/gm)].map((match) => match[1] ?? '');
    for (const name of imported) seen.add(name);
    // Adapters name the package itself, and nothing of their frameworks.
    const itself = file.startsWith('adapters/') ? ['@svc/sdk'] : [];
    expect(imported.filter((name) => !name.startsWith('.') && !isBuiltin(name) && !itself.includes(name))).toEqual([]);
  }
  // The pattern does find imports.
  expect(seen).toContain('node:http');
});

it('serves an agent, and shares one Agent class and one zod between its entries', async () => {
  await writeFile(
    join(project, 'main.ts'),
    `import { Agent, InMemoryA2AClient, skill, z } from '@svc/sdk';
     import { startAgent } from '@svc/sdk/runtime';
     import { testAgent } from '@svc/sdk/testing';
     class Echo extends Agent { name = 'echo'; description = ''; version = '1.0.0'; say = skill({ input: z.object({ text: z.string() }) }, async (_ctx, { text }) => text); }
     const { result } = await testAgent(Echo).invoke('say', { text: 'in memory' });
     const { server, shutdown } = await startAgent(Echo, { listen: { host: '127.0.0.1', port: 0 } });
     const url = 'http://127.0.0.1:' + (server.address() as { port: number }).port;
     const answer = await (await fetch(url + '/invoke/say', { method: 'POST', body: '{"text":"over HTTP"}', headers: { 'content-type': 'application/json' } })).json();
     const mcp = await fetch(url + '/mcp', { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"text":"over MCP"}}}', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' } });
     console.log(result, '|', answer, '|', await mcp.text());
     class Asker extends Agent { name = 'asker'; description = ''; version = '1.0.0'; ask = skill({}, async (ctx) => (await ctx.call('echo', 'say', { text: await ctx.ask('?') })).result); }
     console.log('|', (await new InMemoryA2AClient([Echo, Asker], { onQuestion: () => 'asked' }).call('asker', 'ask', {})).result);
     await shutdown();`,
  );
  const { stdout } = await run(process.execPath, ['main.ts'], { cwd: project });
  expect(stdout).toMatch(/^in memory \| over HTTP \| .*"result":"over MCP".*\| asked/s);
});

it('has types of its own: a wrong argument or result does not compile', async () => {
  await mkdir(join(project, 'node_modules', '@types'), { recursive: true });
  // What the package's one peer would bring: node's own types.
  for (const name of ['node']) await symlink(join(TYPES, name), join(project, 'node_modules', '@types', name));
  await writeFile(
    join(project, 'typed.ts'),
    `import { Agent, OIDCUserInfoAuthResolver, PlatformUserAuthResolver, RemoteBearerAuthResolver, skill, verifyGrant, z, type AuthResolver, type CallResult, type Grant } from '@svc/sdk';
     import { controlPlane, localPlatform, type RunPlatform } from '@svc/sdk/runtime';
     import { testAgent } from '@svc/sdk/testing';
     export class Typed extends Agent {
       name = 'typed'; description = ''; version = '1.0.0';
       greet = skill({ input: z.object({ name: z.string(), n: z.int().default(1) }), output: z.object({ text: z.string() }) }, async (_ctx, { name, n }) => ({ text: name.repeat(n) }));
       // @ts-expect-error the result is not of the output model
       wrong = skill({ output: z.object({ text: z.string() }) }, async () => ({ txet: 1 }));
     }
     const text: string = (await testAgent(Typed).invoke('greet', { name: 'x' })).result.text;
     // @ts-expect-error the argument is misspelt
     await testAgent(Typed).invoke('greet', { nmae: text });
     const resolvers: AuthResolver[] = [new RemoteBearerAuthResolver({ url: 'https://api.example.com/me' }), new OIDCUserInfoAuthResolver({ url: 'https://id.example.com/userinfo' }), new PlatformUserAuthResolver()];
     const platform: RunPlatform = resolvers.length > 0 ? controlPlane({ url: 'https://svc.example.com' }) : localPlatform({ workspace: {} });
     export class Worker extends Agent {
       name = 'worker'; description = ''; version = '1.0.0';
       work = skill({ allowScopeExpansion: true }, async (ctx) => {
         const grant: Grant = await ctx.requestScope({ reason: 'r', read: ['docs/**'] });
         const bytes: Uint8Array = await (await ctx.workspace.openView({ purpose: 'p' })).read('a');
         const [found] = await ctx.findAgents({ skill: 's' });
         const call: CallResult = await ctx.call(found?.url ?? 'x', 's', {}, { grant: await ctx.workspace.delegate({ audience: 'x' }) });
         // @ts-expect-error a question is a text
         await ctx.ask(42);
         return [grant.grant_id, bytes.byteLength, call.grantId, (await ctx.sandbox.runPython('1')).exitCode, platform, verifyGrant('t', 'k').mode];
       });
     }
     // @ts-expect-error there is no such skill
     await testAgent(Typed).invoke('gret', { name: text });`,
  );
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck', 'false'];
  const outcome = await run(process.execPath, [TSC, ...options, 'typed.ts'], { cwd: project }).catch((error: { stdout: string }) => error);
  expect(outcome.stdout).toBe('');
});

// What the openapi commands write, compiled by TypeScript and used against the agent it was made from.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator'; // an OpenAPI 3.1 validator that is not ours
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentOpenApi } from '#contract/wire/agent-openapi.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { z } from 'zod';
import { startAgent, type StartedAgent } from '#sdk/typescript/runtime/start.ts';
import { cites } from '#test/spec/verifies.ts';
import { clientFiles, writeClient } from './client.ts';

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const run = promisify(execFile);

interface Tree {
  label: string;
  children: Tree[];
}
/** Its JSON Schema refers to itself. */
const Tree: z.ZodType<Tree> = z.object({ label: z.string(), children: z.lazy(() => z.array(Tree)) });

class Shop extends Agent {
  name = 'shop';
  description = 'Sells things';
  version = '1.0.0';
  search = skill(
    {
      description: 'Finds */ things\nin the shop',
      input: z.object({ query: z.string(), limit: z.int().default(10) }),
      output: z.array(z.object({ title: z.string(), price: z.number().nullable() })),
    },
    async (_ctx, { query, limit }) => Array.from({ length: Math.min(limit, 2) }, (_, i) => ({ title: `${query} ${i}`, price: null })),
  );
  'count-up' = skill({ stream: true, input: z.object({ to: z.int().max(5) }), output: z.object({ sum: z.int() }) }, async (ctx, { to }) => {
    for (let n = 1; n <= to; n += 1) await ctx.emitProgress(`at ${n}`);
    return { sum: (to * (to + 1)) / 2 };
  });
  tree = skill({ input: z.object({ tree: Tree }), output: Tree }, async (_ctx, { tree }) => tree);
  anything = skill({}, async () => 'yes');
}

let home: string;
let agent: StartedAgent;
let baseUrl: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-client-'));
  agent = await startAgent(Shop, { listen: { host: '127.0.0.1', port: 0 } });
  const address = agent.server.address();
  baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterAll(async () => {
  await agent.shutdown();
  await rm(home, { recursive: true, force: true });
});

const USE = `
import { AgentError, createClient } from './client/index.ts';
const shop = createClient({ baseUrl: process.argv[2] });
const found = await shop.search({ query: 'tea', limit: 1 });
const title: string | undefined = found[0]?.title;
const kinds: string[] = [];
const stream = shop['count-up'].stream({ to: 3 });
let step = await stream.next();
for (; !step.done; step = await stream.next()) kinds.push(step.value.kind);
const tree = await shop.tree({ tree: { label: 'a', children: [{ label: 'b', children: [] }] } });
const leaf: string | undefined = tree.children[0]?.label;
const refused = await shop.search({ query: 1 as unknown as string }).catch((e) => (e instanceof AgentError ? [e.status, e.code, e.issues[0]?.path] : e));
console.log(JSON.stringify({ title, leaf, kinds, sum: step.value.sum, anything: await shop.anything({}), refused }));
`;

describe('svc openapi client', () => {
  it('writes a client that compiles under strict rules, calls, streams and names refusals', cites('cli.openapi_client'), async () => {
    const client = join(home, 'client');
    await writeClient(client, await clientFiles(agent.card, { skills: [], baseUrl: undefined, requireBearer: false }));
    expect((await readdir(client)).toSorted()).toEqual(['anything.ts', 'count-up.ts', 'index.ts', 'runtime.ts', 'search.ts', 'tree.ts']);
    await writeFile(join(home, 'use.ts'), USE);
    await writeFile(join(home, 'package.json'), '{"type":"module"}');
    const types = fileURLToPath(new URL('../../node_modules/@types', import.meta.url));
    const compilerOptions = { strict: true, noEmit: true, target: 'es2023', module: 'nodenext', allowImportingTsExtensions: true, lib: ['es2023', 'dom', 'dom.iterable'], typeRoots: [types], types: ['node'], noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true }; // prettier-ignore
    await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    await run(process.execPath, [TSC, '-p', home]).catch(({ stdout }: { stdout: string }) => expect.fail(stdout));
    const { stdout } = await run(process.execPath, ['--experimental-transform-types', pathToFileURL(join(home, 'use.ts')).pathname, baseUrl]);
    expect(JSON.parse(stdout)).toEqual({
      title: 'tea 0',
      leaf: 'b',
      kinds: ['status', 'progress', 'progress', 'progress', 'result'],
      sum: 6,
      anything: 'yes',
      refused: [400, 'skill_input_error', ['query']],
    });
  });

  it('does not compile with arguments the skill does not take', async () => {
    await writeFile(join(home, 'use.ts'), USE.replace("query: 'tea', limit: 1", "query: 'tea', limit: '1'"));
    await expect(run(process.execPath, [TSC, '-p', home])).rejects.toMatchObject({
      stdout: expect.stringContaining("Type 'string' is not assignable to type 'number'"),
    });
  });

  it('takes only the skills that were named, wants a token where it is required, and leaves only folders of others', async () => {
    const files = await clientFiles(agent.card, { skills: ['search'], baseUrl: 'https://shop.example', requireBearer: true });
    expect([...files.keys()]).toEqual(['runtime.ts', 'search.ts', 'index.ts']);
    expect(files.get('index.ts')).toContain("options: ClientOptions & { token: NonNullable<ClientOptions['token']> }");
    expect(files.get('index.ts')).toContain('{ baseUrl: "https://shop.example" }');
    await expect(clientFiles(agent.card, { skills: ['gone'], baseUrl: undefined, requireBearer: false })).rejects.toThrow(/no skill "gone"; shop has: search/);
    const mine = await mkdtemp(join(home, 'mine-'));
    await writeFile(join(mine, 'index.ts'), '// my own\n');
    await expect(writeClient(mine, files)).rejects.toThrow(/was not made by this command/);
    expect(await readFile(join(mine, 'index.ts'), 'utf8')).toBe('// my own\n');
  });
});

describe('svc openapi spec', () => {
  it.each([true, false])('is a valid OpenAPI 3.1 document (bearer: %s)', cites('cli.openapi_spec'), async (requireBearer) => {
    const document = agentOpenApi(agent.card, { baseUrl, requireBearer });
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    const post = Object(document['paths'])['/invoke/search'].post;
    expect(Object.keys(post.responses)).toEqual(requireBearer ? ['200', '400', '401', '403', '500', '503', '504'] : ['200', '400', '403', '500', '503', '504']);
    expect(post.requestBody.required).toBe(true);
  });
});

// Clients that other people's generators make of our document, each built and calling ten operations of a
// real API; and what their linters say of it. starts: test/openapi/api-main.ts
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '#api/http/openapi.ts';
import { clientOf } from '#contract/client.ts';
import { contract } from '#contract/index.ts';
import { routesOf } from '#contract/inventory.ts';
import { GENERATORS } from './generators.ts';
import { type OpenApiWorld, openApiWorld } from './world.ts';

const run = promisify(execFile);

let world: OpenApiWorld;
let folder: string;
beforeAll(async () => {
  world = await openApiWorld();
  folder = await mkdtemp(join(tmpdir(), 'svc-generated-'));
});
afterAll(async () => {
  await world?.stop();
  await rm(folder, { recursive: true, force: true });
});

const Facts = z.strictObject({
  me: z.string(),
  list: z.array(z.string()),
  search: z.array(z.string()),
  summary: z.array(z.string()),
  visibility: z.string(),
  made: z.string(),
  links: z.array(z.string()),
  revoked: z.number(),
  files: z.number(),
  credits: z.number(),
  missing: z.string(),
});

/** The same by the client of our own. */
async function facts(): Promise<z.infer<typeof Facts>> {
  const api = clientOf(contract, { baseUrl: world.api.url, token: world.token });
  const name = world.records['name'] ?? '';
  const [me, list, search, summary] = await Promise.all([
    api.auth.me(),
    api.agents.list({ query: { limit: 5 } }),
    api.agents.search({ query: { q: name } }),
    api.agents.mineSummary(),
  ]);
  const [links, files, wallet] = await Promise.all([
    api.agents.integrationLinks({ params: { name } }),
    api.files.list({ query: { limit: 5 } }),
    api.credits.wallet({ query: {} }),
  ]);
  const names = (all: readonly { name: string }[]): string[] => all.map((one) => one.name);
  return {
    me: me.email,
    list: names(list),
    search: names(search),
    summary: names(summary),
    visibility: 'public',
    made: 'generated',
    links: ['generated', ...links.map(({ label }) => label)],
    revoked: 204,
    files: files.items.length,
    credits: wallet.available_micros,
    missing: 'agent_not_found',
  };
}

test.each(GENERATORS)('$name: what it makes builds, and calls ten operations', async (generator) => {
  const { name } = generator;
  const own = await mkdtemp(join(folder, `${name.replaceAll(/\W+/g, '-')}-`));
  await writeFile(join(own, 'openapi.json'), JSON.stringify(openApiDocument(contract, world.api.url)));
  const { program, args } = await generator.build(own);
  const env = { ...process.env, BASE: world.api.url, TOKEN: world.token, AGENT: world.records['name'] ?? '' };
  const expected = await facts();
  const { stdout } = await run(program, args, { cwd: own, env });
  expect(Facts.parse(JSON.parse(stdout))).toEqual(expected);
  const skipped = await readFile(join(own, 'skipped.txt'), 'utf8').catch(() => '');
  const count = skipped.split('\n').filter(Boolean).length;
  process.stdout.write(`${name}: ten operations called; ${routesOf(contract).length - count} of ${routesOf(contract).length} generated\n`);
  // What ogen does not implement: streams of events, choices between objects that no member tells apart,
  // choices with further conditions.
  expect(count).toBeLessThanOrEqual(MOST_SKIPPED);
});

const MOST_SKIPPED = 40;

/** Of the linters' own recommended rules: how often each is broken, and why it stays so. */
const LISTED: Readonly<Record<string, { most: number; why: string }>> = {
  'no-ambiguous-paths': {
    most: 1,
    why: 'The specification has /v1/agents/mine/{name} beside /v1/agents/{name}/…; no agent may be named "mine", so that no address has two meanings.',
  },
};

const REDOCLY = z.object({ problems: z.array(z.object({ ruleId: z.string(), message: z.string() })) });
const SPECTRAL = z.array(z.object({ code: z.string(), message: z.string(), path: z.array(z.unknown()) }));

test.each([
  ['@redocly/cli@2.77.0', 'redocly', ['lint', 'openapi.json', '--extends=recommended', '--format=json'], (out: string) => REDOCLY.parse(JSON.parse(out)).problems.map(({ ruleId, message }) => ({ rule: ruleId, message }))],
  ['@stoplight/spectral-cli@6.16.3', 'spectral', ['lint', 'openapi.json', '-r', 'rules.yaml', '-f', 'json', '--quiet'], (out: string) => SPECTRAL.parse(JSON.parse(out)).map(({ code, message, path }) => ({ rule: code, message: `${path.join('/')}: ${message}` }))],
] as const)('%s finds nothing but what is listed', async (source, program, args, read) => {
  const own = await mkdtemp(join(folder, `${program}-`));
  await writeFile(join(own, 'package.json'), '{}');
  await writeFile(join(own, 'rules.yaml'), 'extends: ["spectral:oas"]\n');
  await writeFile(join(own, 'openapi.json'), JSON.stringify(openApiDocument(contract, 'https://platform.test')));
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', source], { cwd: own });
  // They end with 1 where they find something.
  const { stdout } = await run(join(own, 'node_modules/.bin', program), [...args], { cwd: own, maxBuffer: 2 ** 28 }).catch((error: unknown) => z.object({ stdout: z.string() }).parse(error));
  const found = read(stdout);
  process.stdout.write(`${source}: ${found.length} warnings\n`);
  expect(found.filter(({ rule }) => LISTED[rule] === undefined)).toEqual([]);
  for (const [rule, { most }] of Object.entries(LISTED)) expect(found.filter((one) => one.rule === rule).length, rule).toBeLessThanOrEqual(most);
}); // prettier-ignore

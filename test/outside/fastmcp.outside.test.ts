// The same operations with the same arguments, through FastMCP's from_openapi and through skills of ours: the
// same bytes arrive, but where FastMCP is listed to differ, with the reason. What is right by the
// specification stands beside each operation: core/imports/openapi/test/operations.ts.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listeningApi } from '#core/imports/openapi/test/agent.ts';
import { callOurs, expected, type Sent, shown } from '#core/imports/openapi/test/on-the-wire.ts';
import { documentOf, type Operation, operations } from '#core/imports/openapi/test/operations.ts';
import { pythonWith } from '../support/languages/python.ts';

const VERSION = '4.2.3';

let api: Awaited<ReturnType<typeof listeningApi>>;
let ours: Map<string, Sent>;
let theirs: Map<string, Sent>;

beforeAll(async () => {
  api = await listeningApi();
  const document = documentOf(api.url);
  ours = await callOurs(document, api.heard);
  theirs = await callTheirs(document);
});
afterAll(() => api?.close());

async function callTheirs(document: object): Promise<Map<string, Sent>> {
  const python = await pythonWith(`fastmcp-${VERSION}`, [`fastmcp==${VERSION}`]);
  const child = spawn(python, [join(import.meta.dirname, 'fastmcp_calls.py')], { stdio: ['pipe', 'pipe', 'pipe'] });
  const calls = operations.map(({ name, args, theirs: own = args }) => ({ name, args: own }));
  child.stdin.end(JSON.stringify({ base_url: api.url, document, calls }));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const lines = out.split('\n').filter(Boolean);
  if (lines.length !== operations.length) throw new Error(`FastMCP made ${lines.length} calls: ${err}`);
  const requests = api.heard.splice(0);
  return new Map(
    lines.map((line) => {
      const { name, failed }: { name: string; failed: string | null } = JSON.parse(line);
      const request = requests.find(({ url }) => url.startsWith(`/${name}/`));
      return [name, { ...(request && { request }), ...(failed !== null && { failed }) }];
    }),
  );
}

test('ours is what the specification says, all fifty times', () => {
  expect(operations.map((one) => shown(one, ours.get(one.name)))).toEqual(operations.map(expected));
});

test('FastMCP sends the same bytes, but where it is listed to differ; and there it does', () => {
  const same = (one: Operation): boolean => JSON.stringify(shown(one, theirs.get(one.name))) === JSON.stringify(shown(one, ours.get(one.name)));
  const listed = operations.filter(({ fastmcpDiffers }) => fastmcpDiffers !== undefined);
  process.stdout.write(
    `FastMCP ${VERSION}: ${operations.filter(same).length} of ${operations.length} operations the same; ${listed.length} listed to differ\n`,
  );
  const unlisted = operations.filter((one) => one.fastmcpDiffers === undefined && !same(one));
  expect(unlisted.map((one) => ({ name: one.name, fastmcp: shown(one, theirs.get(one.name)), ours: shown(one, ours.get(one.name)) }))).toEqual([]);
  expect(listed.filter(same).map(({ name }) => name)).toEqual([]);
});

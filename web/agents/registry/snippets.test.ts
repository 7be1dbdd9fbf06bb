// Snippets with the nastiest values, read by a real shell and by Node and Python themselves.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cli, curl, mcp, python, quoted, type SnippetOf, typescript } from './snippets.ts';

const run = promisify(execFile);
const NASTY = {
  quotes: `it's "so"`,
  shell: '$(touch /tmp/never) `id` $HOME ; rm -rf x & | > < * ? ~ ! # \\',
  lines: 'one\ntwo\r\n\ttab',
  unicode: 'ü → 🙂 \u2028 \u202e',
  script: '${process.exit(3)} `',
  python: '{x} %s \\x41 \\N{BULLET} """',
  at: '@/etc/passwd',
  empty: '',
  __proto__x: 1,
  "na'me": [null, true, false, -1.5e21, [], {}, { deep: ["'"] }],
};

let folder = '';
let asked: { path: string; authorization: string | undefined; body: unknown }[] = [];
const server = createServer((req, res) => {
  void bodyOf(req).then((body) => {
    asked.push({ path: req.url ?? '', authorization: req.headers.authorization, body: JSON.parse(body) });
    res.setHeader('content-type', 'application/json');
    res.end('{"ok":true}');
  });
});

async function bodyOf(req: IncomingMessage): Promise<string> {
  return Buffer.concat(await req.toArray()).toString();
}

let of: SnippetOf;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'snippets-'));
  // In place of the tool: prints a token, or the words it was given.
  await writeFile(join(folder, 'svc'), '#!/bin/sh\nif [ "$1" = token ]; then echo a-token; else for word in "$@"; do printf \'%s\\0\' "$word"; done; fi\n', {
    mode: 0o755,
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // Safe: it listens on TCP.
  const { port } = server.address() as AddressInfo;
  of = { api: `http://127.0.0.1:${port}`, url: 'http://a.localhost', agent: 'text-kit', skill: 'compare', args: NASTY, isPublic: true };
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const shell = (script: string) => run('/bin/sh', ['-c', script], { cwd: folder, env: { PATH: `${folder}:/usr/bin:/bin` } });

function sent(): (typeof asked)[number] {
  const [only, ...more] = asked;
  asked = [];
  if (!only || more.length > 0) throw new Error(`${more.length + (only ? 1 : 0)} calls arrived`);
  return only;
}
const EXPECTED = { path: '/v1/agents/text-kit/api/invoke/compare', authorization: 'Bearer a-token', body: NASTY };

test('curl sends exactly the values', async () => {
  expect((await shell(curl(of))).stdout).toBe('{"ok":true}');
  expect(sent()).toEqual(EXPECTED);
});

test('the command line gets exactly the values', async () => {
  const words = (await shell(cli(of))).stdout.split('\0').slice(0, -1);
  expect(words.slice(0, -1)).toEqual(['call', 'text-kit', 'compare', '--api', of.api, '--json']);
  expect(JSON.parse(words.at(-1) ?? '')).toEqual(NASTY);
  expect(cli({ ...of, api: 'http://localhost:8080', args: {} })).toBe('svc call text-kit compare');
});

test('TypeScript sends exactly the values', async () => {
  const file = join(folder, 'call.mts');
  await writeFile(file, typescript(of));
  expect((await run(process.execPath, [file], { env: { ...process.env, SVC_TOKEN: 'a-token' } })).stdout).toContain('ok');
  expect(sent()).toEqual(EXPECTED);
});

test('Python sends exactly the values', async () => {
  expect((await run('/usr/bin/env', ['python3', '-c', python(of)], { env: { PATH: process.env.PATH, SVC_TOKEN: 'a-token' } })).stdout).toContain('ok');
  expect(sent()).toEqual(EXPECTED);
});

test('a member named __proto__ is a member', async () => {
  const args: Record<string, unknown> = JSON.parse('{"__proto__": {"a": 1}}');
  const file = join(folder, 'proto.mts');
  await writeFile(file, typescript({ ...of, args }));
  await run(process.execPath, [file], { env: { ...process.env, SVC_TOKEN: 'a-token' } });
  expect(JSON.stringify(sent().body)).toBe('{"__proto__":{"a":1}}');
});

test('an MCP client is told the address', () => {
  expect(JSON.parse(mcp(of))).toEqual({ mcpServers: { 'text-kit': { type: 'http', url: 'http://a.localhost/mcp' } } });
});

test.each(['plain', '', "'", "''", '-rf', 'a b', '\\', '\n', '$x'])('%j is one word of a shell', async (word) => {
  expect((await shell(`printf '%s' ${quoted(word)}`)).stdout).toBe(word);
});

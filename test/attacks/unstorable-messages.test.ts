// U+0000 and half characters where clients of agents, git and a hosting put texts: in each text of each
// message of the protocols at an agent's own address, in what is pushed, and in events of a hosting. Each is
// answered by the protocol, none is a fault of ours, and what is kept is kept whole.
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { clientOf } from '#contract/client.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import { sourceEditor } from '#contract/deploys/source-editor.ts';
import { succeeded } from '#core/runs/run/outcome.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { spoiled } from '../api/walk.ts';
import { mcpWorld, type McpWorld } from '../protocols/mcp-world.ts';
import { WEBHOOK_SECRET } from '../support/context.ts';
import { greeterFiles } from '../support/project.ts';

class Echo extends Agent {
  override name = 'echo';
  override description = 'For tests.';
  override version = '1.0.0';
  override concurrency = 8;
  say = skill({ input: z.object({ text: z.string() }) }, async (ctx, { text }) => {
    await ctx.emitProgress(text, { progress: 1, total: 1 });
    await ctx.writeArtifact('said.txt', text, 'text/plain');
    return { text };
  });
}

let it: McpWorld;
let origin: string;
let folder: string;
beforeAll(async () => {
  it = await mcpWorld((name) => Object.assign(new Echo(), { name }));
  origin = new URL(it.url).origin;
  folder = await mkdtemp(join(tmpdir(), 'svc-unstorable-'));
});
afterAll(async () => {
  await it.close();
  await rm(folder, { recursive: true, force: true });
});

const message = { messageId: 'm1', contextId: 'c1', role: 'ROLE_USER', parts: [{ text: '@say {"text": "hello"}' }], metadata: { skill: 'say', of: 'mine' } };
const meta = { progressToken: 'p1', 'io.modelcontextprotocol/clientInfo': { name: 'client', version: '1' } };
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 'one', method, params });
const MESSAGES: [path: string, body: object, headers?: Record<string, string>][] = [
  ['/invoke/say', { text: 'hello' }],
  ['/invoke/say', { text: 'hello' }, { accept: 'text/event-stream' }],
  ['/mcp', rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'client', version: '1', title: 'Client' } })],
  ['/mcp', rpc('tools/call', { name: 'say', arguments: { text: 'hello' }, _meta: meta })],
  ['/mcp', rpc('resources/read', { uri: 'file:///a.txt' })],
  ['/mcp', rpc('prompts/get', { name: 'say', arguments: { text: 'hello' } })],
  ['/mcp', rpc('logging/setLevel', { level: 'info' })],
  ['/mcp', rpc('completion/complete', { ref: { type: 'ref/prompt', name: 'say' }, argument: { name: 'text', value: 'h' } })],
  ['/a2a', rpc('SendMessage', { message, configuration: { acceptedOutputModes: ['text/plain'] }, metadata: { of: 'mine' } }), { 'a2a-version': '1.0' }],
  ['/a2a', rpc('SendStreamingMessage', { message }), { 'a2a-version': '1.0' }],
  ['/a2a', rpc('GetTask', { id: 'task' }), { 'a2a-version': '1.0' }],
  ['/a2a', rpc('ListTasks', { contextId: 'c1', pageToken: 'x' }), { 'a2a-version': '1.0' }],
  ['/a2a', rpc('message/send', { message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: '@say {"text": "hello"}' }] } })],
  [
    '/ag-ui',
    {
      threadId: 't1',
      runId: 'r1',
      state: { of: 'mine' },
      messages: [{ id: 'm1', role: 'user', content: '@say {"text": "hello"}' }],
      tools: [{ name: 'tool', description: 'A tool', parameters: {} }],
      context: [{ description: 'd', value: 'v' }],
      forwardedProps: { of: 'mine' },
    },
  ],
];

test.each(MESSAGES)('%s %j', async (path, valid, headers = {}) => {
  const send = async (body: unknown): Promise<[number, string]> => {
    const all = {
      authorization: `Bearer ${it.world.tokens.ada}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    };
    const response = await fetch(origin + path, { method: 'POST', headers: all, body: JSON.stringify(body) });
    return [response.status, await response.text()];
  };
  const [status] = await send(valid);
  expect(status).toBeLessThan(500);
  const wrong: unknown[] = [];
  let sent = 0;
  for (const { at, value } of spoiled(valid, [])) {
    const [code, text] = await send(value);
    sent += 1;
    // -32603 and internal: the protocol's own words for a fault of the server. MCP's official package says it
    // too of what has another type than is declared.
    const fault = /-32603|"internal|failed to answer/.test(text) && !/invalid_(?:type|union|value)/.test(text);
    if (code >= 500 || fault) wrong.push([at.join('.'), code, text.slice(0, 300)]);
  }
  expect(sent).toBeGreaterThan(1);
  expect(wrong).toEqual([]);
});

test('half a character that comes back makes no failed call of one that was answered: it is charged, and its receipt says what a reader sees', async () => {
  const text = 'before\0between\ud800after';
  const { db } = it.world.ctx;
  const headers = { authorization: `Bearer ${it.world.tokens.ada}`, 'content-type': 'application/json', accept: 'application/json' };
  const answer = await fetch(`${origin}/invoke/say`, { method: 'POST', headers, body: JSON.stringify({ text }) });
  expect([answer.status, await answer.json()]).toEqual([200, { text }]);
  const run_id = answer.headers.get(HEADER.runId) ?? '';
  const receipt = await db('receipts').where({ run_id }).first('status', 'payload');
  expect(receipt).toMatchObject({ status: 'ok', payload: { output_sha256: canonicalSha256({ text: text.toWellFormed() }) } });
});

test('a result that is nested without end is still none', () => {
  const nested: unknown = JSON.parse(`${'['.repeat(100_000)}"\\ud800"${']'.repeat(100_000)}`);
  expect(succeeded(nested)).toMatchObject({ state: 'failed', error: { code: 'bad_answer' } });
});

test('refs and commits that are pushed', async () => {
  const { world } = it;
  await world.as('ada').agents.fromSource({ body: { name: 'odd-refs' } });
  const editor = clientOf({ sourceEditor }, { baseUrl: world.url, token: world.tokens.ada }).sourceEditor;
  const { token } = await editor.createToken({ params: { name: 'odd-refs' }, body: { mode: 'write' } });
  const remote = `${world.url.replace('://', `://x:${token}@`)}/git/odd-refs.git`;
  const sh = (script: string) => promisify(execFile)('sh', ['-ec', script], { cwd: folder, env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } });
  for (const [path, content] of Object.entries(greeterFiles('odd-refs'))) await writeFile(join(folder, path), content);
  await sh('git init -q -b main . && git config user.name a && git config user.email a@example.test && git add -A && git commit -qm start');
  // Half a character in a branch's name; U+0000 and half a character in a message, and in who wrote it.
  await sh(`git update-ref "refs/heads/$(printf 'half-\\355\\240\\200')" HEAD && git push -q ${remote} "$(printf 'refs/heads/half-\\355\\240\\200')"`);
  const commit = (message: string) =>
    sh(
      `printf 'tree %s\\nparent %s\\nauthor a\\355\\240\\200 <a@example.test> 1700000000 +0000\\ncommitter a <a@example.test> 1700000000 +0000\\n\\n${message}\\n' "$(git rev-parse HEAD^{tree})" "$(git rev-parse HEAD)" | git hash-object -t commit -w --stdin --literally`,
    );
  const half = (await commit('half \\355\\240\\200 end')).stdout.trim();
  await sh(`git push -q ${remote} ${half}:refs/heads/half`);
  const cut = (await commit('before\\000after')).stdout.trim();
  await expect(sh(`git push -q ${remote} ${cut}:refs/heads/cut`)).rejects.toMatchObject({ stderr: expect.stringMatching(/nulInCommit|NUL/i) });
  expect(world.logs.filter((line) => line.includes('a request of git failed'))).toEqual([]);
  const audited = await world.ctx.db('audit_log').where({ action: 'source.push' }).select('details');
  expect(JSON.stringify(audited)).toContain(half);
});

test('events of a hosting', async () => {
  const valid = {
    ref: 'refs/heads/main',
    after: 'a'.repeat(40),
    repository: { full_name: `${it.users.ada}/${it.agent.name}`, pushed_at: '2100-01-01T00:00:00Z' },
  };
  const answers: unknown[] = [];
  for (const [nth, { at, value }] of [...spoiled(valid, [])].entries()) {
    const body = JSON.stringify(value);
    const signature = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex');
    const headers = { 'x-forgejo-event': 'push', 'x-forgejo-delivery': `d${nth}`, 'x-forgejo-signature': signature, 'content-type': 'application/json' };
    const response = await fetch(`${it.world.url}/v1/platform/scm/webhooks/source-push`, { method: 'POST', headers, body });
    const text = await response.text();
    answers.push([at.join('.'), response.status < 500 ? 'fine' : text]);
  }
  expect(answers).toEqual(answers.map((answer) => [Array.isArray(answer) ? answer[0] : '', 'fine']));
});

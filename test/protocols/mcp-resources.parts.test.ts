// Resources, by the official client: at an agent on the platform, where each caller sees its own; and on an
// author's laptop.
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { inTx } from '#core/kernel/tx.ts';
import { mintGrant } from '#core/workspace/grant/mint.ts';
import { revokeGrant } from '#core/workspace/grant/revoke.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { resource } from '#sdk/typescript/authoring/resource.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { localPlatform } from '#sdk/typescript/platform/local.ts';
import { serve } from '#sdk/typescript/test/serve.ts';
import { z } from 'zod';
import { userActor } from '../support/verbs.ts';
import { mcpWorld, type Era, type McpWorld, type Person } from './mcp-world.ts';

class Maker extends Agent {
  override name = 'maker';
  override description = 'For tests.';
  override version = '1.0.0';
  override concurrency = 8;
  guide = resource({ uri: 'docs://guide', mimeType: 'text/markdown', description: 'How to.' }, '# Guide');
  page = resource({ uri: 'docs://pages/{page}' }, ({ page }, { auth }) => (page === 'a b' ? JSON.stringify({ page, auth }) : undefined));
  breaks = resource({ uri: 'docs://breaks' }, () => {
    throw new Error('internal detail');
  });
  make = skill({ input: z.object({ name: z.string(), text: z.string().optional(), bytes: z.int().optional() }) }, async (ctx, { name, text, bytes }) => {
    const ref = await ctx.writeArtifact(name, text ?? Buffer.alloc(bytes ?? 1), text === undefined ? 'application/octet-stream' : 'text/plain');
    await ctx.emitArtifact(ref);
    return ctx.runId;
  });
  many = skill({ input: z.object({ count: z.int() }) }, async (ctx, { count }) => {
    for (let n = 0; n < count; n += 1) await ctx.writeArtifact(`n${n}.txt`, String(n), 'text/plain');
    return ctx.runId;
  });
}

const made = async (client: Client, args: Record<string, unknown>): Promise<{ run: string; link: string }> => {
  const { structuredContent, content } = await client.callTool({ name: 'make', arguments: args });
  const link = content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : block.type === 'resource' ? [block.resource.uri] : []))[0] ?? '';
  return { run: z.object({ result: z.string() }).parse(structuredContent).result, link };
};
const read = async (client: Client, uri: string): Promise<unknown> => (await client.readResource({ uri })).contents[0];
const list = async (client: Client): Promise<string[]> => {
  const uris: string[] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } });
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  }
  return uris;
};
const notFound = { code: -32602 };

describe.each<Era>(['legacy', 'auto'])('resources of an agent on the platform (%s)', (era) => {
  let it: McpWorld;
  const put = async (path: string, content: string): Promise<void> => {
    const form = new FormData();
    form.set('path', path);
    form.set('file', new Blob([content]), 'file');
    const headers = { authorization: `Bearer ${it.world.tokens.ada}` };
    expect((await fetch(`${it.world.url}/v1/me/files`, { method: 'POST', headers, body: form })).ok).toBe(true);
  };
  const connect = (who: Person | null, headers: Record<string, string> = {}): Promise<Client> => it.connect(who, { era, headers });
  beforeAll(async () => {
    it = await mcpWorld((name) => Object.assign(new Maker(), { name }));
  });
  afterAll(() => it.close());

  test('what the author declared is there for everybody', async () => {
    const client = await connect(null);
    expect(client.getServerCapabilities()?.resources).toBeDefined();
    expect(await list(client)).toEqual(['docs://guide', 'docs://breaks']);
    expect(await read(client, 'docs://guide')).toEqual({ uri: 'docs://guide', mimeType: 'text/markdown', text: '# Guide' });
    expect(await read(client, 'docs://pages/a%20b')).toMatchObject({ text: JSON.stringify({ page: 'a b', auth: {} }) });
    await expect(read(client, 'docs://pages/none')).rejects.toMatchObject(notFound);
    const broken = read(client, 'docs://breaks');
    await expect(broken).rejects.toMatchObject({ code: -32603 });
    await expect(broken).rejects.not.toThrow('internal detail');
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'docs://pages/{page}',
      'svc://artifacts/{run}/{name}',
      'svc://workspaces/{workspace}/{+path}',
    ]);
  });

  test("a caller reads its own runs' artifacts, and nobody else's", async () => {
    const [ada, ben, nobody] = [await connect('ada'), await connect('ben'), await connect(null)];
    const { run } = await made(ada, { name: 'Bericht ä.txt', text: 'hers' });
    const uri = `svc://artifacts/${run}/Bericht%20%C3%A4.txt`;
    expect(await list(ada)).toContain(uri);
    expect(await read(ada, uri)).toEqual({ uri, mimeType: 'text/plain', text: 'hers' });
    const bytes = await made(ada, { name: 'b.bin', bytes: 3 });
    expect(await read(ada, `svc://artifacts/${bytes.run}/b.bin`)).toMatchObject({ mimeType: 'application/octet-stream', blob: 'AAAA' });
    const own = await made(nobody, { name: 'own.txt', text: 'anonymous' });
    for (const other of [ben, nobody, await connect(null)]) {
      expect((await list(other)).filter((one) => one.startsWith('svc:'))).toEqual([]);
      for (const address of [uri, `svc://artifacts/${own.run}/own.txt`])
        await expect(read(other, address)).rejects.toMatchObject({ ...notFound, data: { uri: address } });
    }
    // The link in the result is an address as well; every holder of it reads that file.
    expect(await read(nobody, own.link)).toMatchObject({ text: 'anonymous' });
    await expect(read(nobody, own.link.replace('own.txt', 'other.txt'))).rejects.toMatchObject(notFound);
    await expect(read(nobody, own.link.replace(/token=.*/, ''))).rejects.toMatchObject(notFound);
    const run_ = await ada.complete({ ref: { type: 'ref/resource', uri: 'svc://artifacts/{run}/{name}' }, argument: { name: 'run', value: run.slice(0, -2) } });
    expect(run_.completion.values).toContain(run);
    const others = await ben.complete({ ref: { type: 'ref/resource', uri: 'svc://artifacts/{run}/{name}' }, argument: { name: 'run', value: '' } });
    expect(others.completion.values).toEqual([]);
  });

  test('what is too large says where it is to be had', async () => {
    const ada = await connect('ada');
    const { run } = await made(ada, { name: 'large.bin', bytes: 9 * 1024 * 1024 });
    await expect(read(ada, `svc://artifacts/${run}/large.bin`)).rejects.toThrow(/9437184 bytes.*fetch it at http/);
  });

  test('a list of many comes in pages', async () => {
    const ben = await connect('ben');
    const { structuredContent } = await ben.callTool({ name: 'many', arguments: { count: 150 } });
    const { result: run } = z.object({ result: z.string() }).parse(structuredContent);
    const uris = await list(ben);
    expect(new Set(uris.filter((uri) => uri.includes(run))).size).toBe(150);
    expect(uris.length).toBe(new Set(uris).size);
    await expect(ben.request({ method: 'resources/list', params: { cursor: 'bent' } })).rejects.toMatchObject({ code: -32602 });
    const forged = Buffer.from('["artifacts","bent"]').toString('base64url');
    await expect(ben.request({ method: 'resources/list', params: { cursor: forged } })).rejects.toMatchObject({ code: -32602 });
  });

  test('files are there as far and as long as a grant of the caller says', async () => {
    const { world, users, agent } = it;
    for (const path of ['docs/ä b.md', 'docs/secret/c.md', 'private.md']) await put(path, path);
    const ctx = { ...world.ctx, actor: userActor(users.ada) };
    const more = { deny: ['docs/secret/**'], mode: 'read_only', outputsPrefix: null, ttlSeconds: 300 } as const;
    const [ada, ben, nobody] = [await connect('ada'), await connect('ben'), await connect(null)];
    const files = async (client: Client): Promise<string[]> => (await list(client)).filter((uri) => uri.startsWith('svc://workspaces/'));
    expect(await files(ada)).toEqual([]);
    const given = await inTx(ctx, (ctx) => mintGrant(ctx, { userId: users.ada, audience: agent.name, allow: ['docs/**'], ...more }));
    const at = `svc://workspaces/${users.ada}`;
    const uri = `${at}/docs/%C3%A4%20b.md`;
    expect(await files(ada)).toEqual([uri]);
    expect(await read(ada, uri)).toEqual({ uri, mimeType: 'text/markdown', text: 'docs/ä b.md' });
    const hidden = [
      'private.md',
      'docs/secret/c.md',
      'docs/../private.md',
      'docs/%2e%2e/private.md',
      'docs%2F..%2Fprivate.md',
      'docs/%2e%2e%2fprivate.md',
      '%252e%252e/private.md',
      'docs//x',
      '/private.md',
    ];
    for (const path of hidden) await expect(read(ada, `${at}/${path}`), path).rejects.toMatchObject(notFound);
    for (const other of [ben, nobody]) {
      expect(await files(other)).toEqual([]);
      await expect(read(other, uri)).rejects.toMatchObject(notFound);
    }
    const passedOn = await connect(null, { 'svc-grant': given.token });
    expect(await files(passedOn)).toEqual([uri]);
    await revokeGrant(ctx, { grant_id: given.grant.grant_id });
    expect(await files(ada)).toEqual([]);
    await expect(read(ada, uri)).rejects.toMatchObject(notFound);
    await expect(read(passedOn, uri)).rejects.toThrow(/grant/);
  });
});

test('on a laptop: artifacts of the same caller, and files under a grant; links out of the folder are not followed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-resources-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'a.md'), '# A');
  await writeFile(join(folder, 'b.txt'), 'b');
  await symlink('/etc/hostname', join(folder, 'link.md'));
  const platform = localPlatform({ workspace: folder });
  const { url } = await serve(Maker, { platform });
  const connect = async (token?: string, more: Record<string, string> = {}): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    onTestFinished(() => client.close());
    const headers = { ...more, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
    return client;
  };
  const [mine, other] = [await connect(), await connect('another')];
  const { run, link } = await made(mine, { name: 'x.txt', text: 'x' });
  const ours = async (client: Client): Promise<string[]> => (await list(client)).filter((uri) => uri.startsWith('svc:'));
  expect(await ours(mine)).toEqual([`svc://artifacts/${run}/x.txt`]);
  expect(await read(mine, link)).toMatchObject({ text: 'x' });
  expect(await ours(other)).toEqual([]);
  await expect(read(other, `svc://artifacts/${run}/x.txt`)).rejects.toMatchObject(notFound);

  const token = platform.mintGrant({ audience: 'maker', allowPatterns: ['*.md'] });
  expect(await ours(mine)).toEqual([`svc://artifacts/${run}/x.txt`, 'svc://workspaces/local/a.md']);
  expect(await read(mine, 'svc://workspaces/local/a.md')).toEqual({ uri: 'svc://workspaces/local/a.md', mimeType: 'text/markdown', text: '# A' });
  for (const path of ['b.txt', 'link.md', '../a.md', '%2e%2e/a.md'])
    await expect(read(mine, `svc://workspaces/local/${path}`), path).rejects.toMatchObject(notFound);
  expect(await ours(other)).toEqual([]);
  expect(await ours(await connect('another', { 'svc-grant': token }))).toEqual(['svc://workspaces/local/a.md']);
});

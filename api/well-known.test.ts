// What programs look for at the platform's own address, over HTTP: the catalog of its agents, and the keys
// that sign their cards.
import { createRemoteJWKSet, flattenedVerify } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { CARD_KEYS_PATH } from '#contract/wire/a2a-card.ts';
import { contract } from '#contract/index.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';
import { signedCard } from '#core/agents/card/signed.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { declare } from '#sdk/typescript/authoring/declare.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { addAgent } from '#test/support/verbs.ts';
import { handlers } from './handlers.ts';
import { serveForTest } from './http/test/serve.ts';
import { wellKnown } from './start.ts';

const CATALOG = '/.well-known/ai-catalog.json';

class Scribe extends Agent {
  name = 'scribe';
  description = 'Writes.';
  version = '1.0.0';
  note = skill({}, async () => 'x');
}

let t: TestContext;
let url: string;
beforeAll(async () => {
  t = await testContext();
  const { db, drivers } = t.ctx;
  const api = await serveForTest(contract, handlers, { db, drivers, documents: wellKnown(t.ctx) });
  ({ url } = api);
  return async () => {
    await api.close();
    await t.close();
  };
});

test('the catalog names the public agents to anybody, each as an A2A agent and as an MCP server', async () => {
  const { actor } = await t.user('ada');
  const shown = await addAgent(t.ctx.db, actor.user_id, { visibility: 'public', live: true, tags: ['text'] });
  const hidden = await addAgent(t.ctx.db, actor.user_id, { live: true });
  const answer = await fetch(url + CATALOG, { headers: { origin: 'https://elsewhere.example' } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/ai-catalog\+json/);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const text = await answer.text();
  expect(text).not.toContain(hidden.name);
  const base = `http://${shown.name}.localhost:8080`;
  expect(JSON.parse(text)).toMatchObject({
    specVersion: '1.0',
    entries: [
      { displayName: shown.name, type: 'application/a2a-agent-card+json', url: `${base}/.well-known/agent-card.json`, tags: ['text'] },
      { displayName: shown.name, type: 'application/mcp-server+json', data: { remotes: [{ type: 'streamable-http', url: `${base}/mcp` }] } },
    ],
  });
  // As a cache asks: fetch() on its own would ask for a fresh copy.
  const held = { 'if-none-match': answer.headers.get('etag') ?? '', 'cache-control': 'max-age=0' };
  const again = await fetch(url + CATALOG, { headers: held });
  expect([again.status, await again.text()]).toEqual([304, '']);
  await t.ctx.db('agents').where({ agent_id: shown.id }).update({ visibility: 'unlisted' });
  const later = await fetch(url + CATALOG, { headers: held });
  expect(await later.json()).toMatchObject({ entries: [] });
});

test('the keys verify a card signed by this platform, and hold nothing private', async () => {
  const answer = await fetch(url + CARD_KEYS_PATH);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/jwk-set\+json/);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const { keys } = z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).parse(await answer.json());
  expect(keys).toHaveLength(2);
  for (const key of keys) expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  const card = await signedCard(t.ctx, 'ada', declare(new Scribe()).card, {
    baseUrl: 'http://scribe.localhost:8080',
    grpc: 'scribe.localhost:8080',
    bearer: false,
    legacy: false,
  });
  const { signatures, ...unsigned } = z.looseObject({ signatures: z.array(z.object({ protected: z.string(), signature: z.string() })).min(1) }).parse(card);
  const [signature] = signatures;
  if (!signature) throw new Error('not signed');
  const verified = await flattenedVerify(
    { ...signature, payload: Buffer.from(canonicalJson(unsigned)).toString('base64url') },
    createRemoteJWKSet(new URL(url + CARD_KEYS_PATH)),
  );
  expect(keys.map(({ kid }) => kid)).toContain(verified.protectedHeader?.kid);
});

test.each([CATALOG, CARD_KEYS_PATH])('%s is only read', async (path) => {
  const head = await fetch(url + path, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const posted = await fetch(url + path, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

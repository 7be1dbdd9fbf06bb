// Signed cards: as the platform serves them, read by our own client and by the official ones' verifiers.
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { canonicalizeAgentCard, verifyAgentCardSignature, type AgentCard as Wire } from '@a2a-js/sdk';
import { createRemoteJWKSet, decodeProtectedHeader, flattenedVerify } from 'jose';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { A2AClient } from '#sdk/typescript/platform/a2a-client.ts';
import { hosted, type Hosted } from './a2a-world.ts';

class Scribe extends Agent {
  name = 'scribe';
  description = 'Schreibt – für Prüfungen 🖋.';
  version = '1.0.0';
  note = skill({ input: z.object({ text: z.string() }), scopes: ['notes'] }, async (_ctx, { text }) => text);
  plain = skill({}, async () => 'x');
}

let world: Hosted;
beforeAll(async () => {
  world = await hosted(new Scribe());
  return () => world.stop();
});

async function cardOf(headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const response = await fetch(`${world.url}/.well-known/agent-card.json`, { headers });
  return z.record(z.string(), z.unknown()).parse(await response.json());
}

test.each([
  ['of 1.0', { 'a2a-version': '1.0' }],
  ['for both generations', {}],
])('a card %s is verified by jose with the keys at its own address, and by the official package', async (_what, headers) => {
  // The official functions read the JSON, whatever their types say.
  const card = (await cardOf(headers as Record<string, string>)) as unknown as Wire;
  const [signature] = card.signatures;
  if (!signature) throw new Error('not signed');
  const header = decodeProtectedHeader({ protected: signature.protected });
  expect(header).toEqual({ alg: 'ES256', typ: 'JOSE', kid: expect.stringMatching(/^card-/), jku: `${world.url}/.well-known/agent-card-keys.json` });
  const keys = createRemoteJWKSet(new URL(String(header.jku)));
  const payload = Buffer.from(canonicalizeAgentCard(card)).toString('base64url');
  await flattenedVerify({ protected: signature.protected, signature: signature.signature, payload }, keys);
  await verifyAgentCardSignature(async () => {
    const { keys: [key] } = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) }).parse(await (await fetch(String(header.jku))).json()); // prettier-ignore
    if (!key) throw new Error('no keys');
    return key;
  })(card);
});

test('it names the address that the platform knows, whatever host was asked for', async () => {
  const asked = request(`${world.url}/.well-known/agent-card.json`, { headers: { host: 'scribe.elsewhere.example:9999' } }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const card = await text(answer);
  expect(card).toContain(world.url);
  expect(card).not.toContain('elsewhere');
  expect(JSON.parse(card)).toEqual({ ...(await cardOf()), signatures: expect.anything() });
});

test('our client believes it, and refuses one that was changed, whose keys are elsewhere, or that nobody signed', async () => {
  expect(await new A2AClient().card(world.url)).toMatchObject({ name: 'scribe', skills: [{ id: 'note' }, { id: 'plain' }] });
  let served: unknown;
  const impostor = createServer((_req, res) => res.setHeader('content-type', 'application/json').end(JSON.stringify(served)));
  await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void impostor.close());
  const address = impostor.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const card = await cardOf({ 'a2a-version': '1.0' });
  served = card;
  await expect(new A2AClient().card(url)).rejects.toMatchObject({ calleeCode: 'card_signature_invalid' });
  served = { ...card, signatures: [] };
  await expect(new A2AClient().card(url)).rejects.toMatchObject({ calleeCode: 'card_unsigned' });
  const proxied = new Map([['card', { ...card, description: 'another' }], ['keys', await (await fetch(`${world.url}/.well-known/agent-card-keys.json`)).json()]]); // prettier-ignore
  served = proxied.get('card');
  const { readAgentCard } = await import('#sdk/typescript/platform/agent-card.ts');
  await expect(readAgentCard(url, { trusts: () => true })).rejects.toMatchObject({ calleeCode: 'card_signature_invalid' });
  served = card;
  expect(await readAgentCard(url, { trusts: (keys) => keys.origin === world.url })).toMatchObject({ name: 'scribe' });
});

test('the card is the platform’s word: the agent is not asked, its callers may keep it', async () => {
  const first = await fetch(`${world.url}/a2a/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } });
  expect(await first.json()).toMatchObject({
    supportedInterfaces: expect.arrayContaining([{ url: new URL(world.url).host, protocolBinding: 'GRPC', protocolVersion: '1.0' }]),
    skills: [{ securityRequirements: [{ schemes: { bearer: { list: ['notes'] } } }] }, {}],
  });
  const again = await fetch(`${world.url}/.well-known/agent-card.json`, {
    headers: { 'if-none-match': first.headers.get('etag') ?? '', 'a2a-version': '1.0' },
  });
  expect(again.status).toBe(304);
});

test('where the installation does not list gRPC, every address of the card is an http address', async () => {
  const other = await hosted(new Scribe(), { listGrpc: false });
  onTestFinished(other.stop);
  for (const version of ['0.3', '1.0']) {
    const response = await fetch(`${other.url}/.well-known/agent-card.json`, { headers: { 'a2a-version': version } });
    const { supportedInterfaces, additionalInterfaces = [] } = z
      .looseObject({ supportedInterfaces: z.array(z.object({ url: z.string() })), additionalInterfaces: z.array(z.object({ url: z.string() })).optional() })
      .parse(await response.json());
    for (const { url } of [...supportedInterfaces, ...additionalInterfaces]) expect(new URL(url).protocol).toBe('http:');
  }
});

// A grant of files is taken back while its holder reads a large one: the transfer ends, and that by another
// grant goes on.
import { request, ServerResponse, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { rechecksOf } from '#api/http/recheck.ts';
import { createWorld, type World } from '../api/world.ts';

const BYTES = 48 * 1024 * 1024;
let world: World;
beforeAll(async () => {
  world = await createWorld();
  const form = new FormData();
  form.set('path', 'large.bin');
  form.set('file', new Blob([Buffer.alloc(BYTES, 'x')]), 'large.bin');
  const stored = await fetch(`${world.url}/v1/me/files`, { method: 'POST', headers: { authorization: `Bearer ${world.tokens.ada}` }, body: form });
  expect(stored.status, await stored.clone().text()).toBeLessThan(300);
});
afterAll(() => world.close());

interface Reading {
  grant_id: string;
  incoming: IncomingMessage;
  /** How it ended, and with how many bytes. */
  over: Promise<{ whole: boolean; bytes: number }>;
}

/** Its first bytes have arrived, and no more of it is read than fits on the way. */
async function begin(): Promise<Reading> {
  const { grant, token } = await world.as('ada').workspaceGrants.delegate({ body: { audience: world.records['name'] ?? '' } });
  const headers = { authorization: `Bearer ${world.tokens.ada}`, 'svc-grant': token };
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${world.url}/v1/workspace-grants/files/large.bin`, { headers, agent: false }, resolve).on('error', reject).end();
  });
  expect(incoming.statusCode).toBe(200);
  let bytes = 0;
  const over = new Promise<{ whole: boolean; bytes: number }>((resolve) => {
    const ended = (): void => resolve({ whole: incoming.complete, bytes });
    incoming.on('end', ended).on('error', ended).on('close', ended);
  });
  await new Promise<void>((resolve) => {
    incoming.once('data', () => {
      incoming.pause();
      resolve();
    });
    incoming.on('data', (chunk: Buffer) => void (bytes += chunk.length));
  });
  return { grant_id: grant.grant_id, incoming, over };
}

test('it ends within seconds, in the middle; another is read to its end', async () => {
  const [hers, other] = [await begin(), await begin()];
  const headers = { authorization: `Bearer ${world.tokens.ada}` };
  expect((await fetch(`${world.url}/v1/me/grants/${hers.grant_id}`, { method: 'DELETE', headers })).status).toBe(204);
  // Nothing is read until the platform has looked at what is open, and has broken it off.
  const brokenOff = vi.spyOn(ServerResponse.prototype, 'destroy');
  await rechecksOf(world.ctx.db).look();
  await expect.poll(() => brokenOff.mock.calls.length, { timeout: 30_000 }).toBe(1);
  brokenOff.mockRestore();
  for (const { incoming } of [hers, other]) incoming.resume();
  expect((await hers.over).whole).toBe(false);
  expect(await other.over).toEqual({ whole: true, bytes: BYTES });
});

// U+0000 and half characters where no schema of a route looks: headers in Base64, forms, what an identity
// provider says, and the pages of our own one. Through the declared routes: test/api/generic.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureUser } from '#core/identity/user/ensure.ts';
import { knexAdapter } from '#drivers/idp/adapter.ts';
import { signUp } from '#drivers/idp/sign-up.ts';
import { createWorld, type World } from '../api/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const send = (path: string, { headers = {}, body }: { headers?: Record<string, string>; body?: FormData }): Promise<Response> =>
  fetch(world.url + path, { method: 'POST', headers: { authorization: `Bearer ${world.tokens.ada}`, ...headers }, ...(body && { body }) });

test.each(['path', 'filetype'])('the %s of an upload', async (key) => {
  const said = { path: 'a.txt', filetype: 'text/plain', [key]: 'a\0b' };
  const metadata = Object.entries(said).map(([name, value]) => `${name} ${base64(value)}`).join(','); // prettier-ignore
  const answer = await send('/v1/me/uploads', { headers: { 'tus-resumable': '1.0.0', 'upload-length': '3', 'upload-metadata': metadata } });
  expect([answer.status, JSON.stringify(await answer.json())]).toEqual([422, expect.stringContaining('upload-metadata')]);
});

test('a field of a form', async () => {
  const form = new FormData();
  form.set('name', 'gre\0eter');
  const answer = await send('/v1/agents/from-tarball', { body: form });
  expect([answer.status, JSON.stringify(await answer.json())]).toEqual([422, expect.stringContaining('U+0000')]);
});

test('a name that an identity provider gives is kept otherwise, and the person gets in', async () => {
  const identity = { issuer: 'https://idp.test', subject: 'one', email: 'one@example.test', name: 'Mallory\0 \ud800', operator: false };
  const again = async () => (await ensureUser(world.ctx.db, identity, world.ctx.clock())).name;
  expect(await again()).toBe('Mallory\ufffd \ufffd');
  expect(await again()).toBe('Mallory\ufffd \ufffd');
});

test('a parameter of a sign-in at our own provider', async () => {
  const adapter = knexAdapter(world.ctx.db, world.ctx.drivers.vault)('Interaction');
  const upsert = adapter.upsert('x', { kind: 'Interaction', params: { state: 'a\0b' } }, 60);
  await expect(upsert).rejects.toMatchObject({ error: 'invalid_request', statusCode: 400 });
  expect(await adapter.findByUid('a\0')).toBeUndefined();
});

test('a name for a new account there', async () => {
  const never = (): never => {
    throw new Error('nothing is asked before the form is right');
  };
  const deps = { accounts: { byEmail: never }, limits: { begin: never }, newAccounts: { begin: never } } as never;
  const given = { email: 'mallory@example.test', name: 'Mal\0lory', password: 'a long enough password' };
  expect(await signUp(deps, '127.0.0.1', given)).toMatchObject({ status: 422 });
});

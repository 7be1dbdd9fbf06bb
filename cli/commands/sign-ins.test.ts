// svc sign-ins and svc logout, over the real API.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { createWorld, type World } from '#test/api/world.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { makeTool, type Tool } from '../test/tool.ts';

let world: World;
let tool: Tool;
beforeAll(async () => {
  world = await createWorld();
  tool = await makeTool(world.url, '/nowhere');
});
afterAll(async () => {
  await tool.remove();
  await world.close();
});

const as = (token: string) => (...argv: string[]) => tool.run(argv, { env: { SVC_TOKEN: token } }); // prettier-ignore
/** Of a sign-in by an organization: the platform issued it, and nothing renews it. */
async function signIn(): Promise<{ id: string; token: string }> {
  const { user_id } = await world.as('ada').auth.me();
  const [token, id] = [newPlatformToken(), newId('tok')];
  await world.ctx
    .db('platform_tokens')
    .insert({ token_id: id, token_hash: hashSecret(token), kind: 'user', user_id, label: 'sign-in of an organization', address: '203.0.113.9' });
  return { id, token };
}
const works = async (token: string): Promise<boolean> => (await fetch(`${world.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).ok;

test('lists them, ends one, ends all others', async () => {
  const svc = as(world.tokens.ada);
  const [one, other] = [await signIn(), await signIn()];
  const listed = await svc('sign-ins');
  expect(listed.out).toMatch(new RegExp(`^${one.id} +sign-in of an organization +everything +203\\.0\\.113\\.9 +\\d{4}-`, 'm'));
  expect(listed.out).toMatch(/^tok_\S+ +test \*/m);
  expect(await svc('sign-ins', 'end', one.id)).toMatchObject({ code: 0, out: '' });
  expect([await works(one.token), await works(other.token)]).toEqual([false, true]);
  expect(await svc('sign-ins', 'end', one.id)).toMatchObject({ code: EXIT.failure });
  expect(await svc('sign-ins', 'end')).toMatchObject({ code: EXIT.usage });
  expect(await svc('sign-ins', 'end', one.id, '--others')).toMatchObject({ code: EXIT.usage });
  expect((await svc('sign-ins', 'end', '--others')).out).toMatch(/^\d+ sign-ins? ended\.\n$/);
  expect([await works(other.token), await works(world.tokens.ada), await works(world.tokens.ben)]).toEqual([false, true, true]);
});

test('logout ends a token that the platform issued, wherever a copy of it is', async () => {
  const { token } = await signIn();
  expect(await tool.run(['login', '--token', token])).toMatchObject({ code: 0 });
  expect(JSON.parse((await tool.run(['logout', '--json'])).out)).toMatchObject({ signed_out: true, revoked: true });
  expect(await works(token)).toBe(false);
});

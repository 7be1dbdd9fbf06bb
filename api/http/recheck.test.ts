// Connections end with what they stand on, all are looked at in one query, and a database that is away ends
// none.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claim } from '#core/identity/rights/claim.ts';
import type { UserActor } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret, newSecret } from '#core/kernel/secret.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { addOrganization, type TestOrganization } from '#test/support/scim.ts';
import { addAgent, addUser, userActor, type TestAgent } from '#test/support/verbs.ts';
import { rechecksOf } from './recheck.ts';

let t: TestContext;
let acme: TestOrganization;
let agent: TestAgent;

beforeAll(async () => {
  t = await testContext();
  acme = await addOrganization(t.ctx.db, 'acme');
  agent = await addAgent(t.ctx.db, acme.organization_id);
});
afterAll(() => t.close());

/** A new member with a session of a browser, for the organization. */
async function member(more: { sso_connection_id?: string } = {}): Promise<UserActor & { sign_in: string }> {
  const { db } = t.ctx;
  const user_id = await addUser(db);
  const sign_in = newId('ses');
  const at = new Date();
  const expires_at = new Date(at.getTime() + 3_600_000);
  await db('web_sessions').insert({
    session_id: sign_in,
    token_hash: hashSecret(newSecret()),
    user_id,
    expires_at,
    ...(more.sso_connection_id !== undefined && { ...more, signed_in_at: at }),
  });
  const member_id = newId('mem');
  const row = {
    member_id,
    organization_id: acme.organization_id,
    user_id,
    email: `${user_id}@acme.example`,
    role: 'developer' as const,
    state: 'active' as const,
  };
  await db('organization_members').insert({ ...row, source: 'person', created_at: at, joined_at: at, updated_at: at });
  const of = { member_id, organization_id: acme.organization_id, slug: 'acme', role: 'developer' as const, person_id: user_id };
  return { ...userActor(acme.organization_id), via: 'session', sign_in, member: of };
}

/** What is open on a claim: why it ended, undefined while it has not. */
function open(claim: Claim): { why(): string | undefined } {
  let ended: string | undefined;
  rechecksOf(t.ctx.db).enter(claim, ({ code }) => (ended = code));
  return { why: () => ended };
}
const calling = (actor: Claim['actor']): Claim => ({ actor, use: { agentId: agent.id, action: 'agent.call' } });
const look = (): Promise<void> => rechecksOf(t.ctx.db).look();
const membership = (one: UserActor) => t.ctx.db('organization_members').where({ member_id: one.member?.member_id ?? '' });
const suspend = (user_id: string) =>
  t.ctx.db('control_policies').insert({ user_id, suspended: true, may_deploy: true, may_publish: true, may_call_external: true, limits: '{}', reason: 'a test', version: 1, updated_by: user_id }); // prettier-ignore

test.for<[string, (one: UserActor & { sign_in: string }) => PromiseLike<unknown>, string]>([
  ['removed', (one) => membership(one).delete(), 'organization_not_yours'],
  ['suspended by their organization', (one) => membership(one).update({ state: 'suspended' }), 'organization_not_yours'],
  ['demoted below what it needs', (one) => membership(one).update({ role: 'billing' }), 'agent_not_found'],
  ['signed out', (one) => t.ctx.db('web_sessions').where({ session_id: one.sign_in }).update({ revoked_at: new Date() }), 'token_invalid'],
  ['suspended by an operator', (one) => suspend(one.member?.person_id ?? ''), 'account_suspended'],
])('who is %s is ended, and a colleague is not', async ([, change, code]) => {
  const [one, other] = [await member(), await member()];
  const [theirs, others] = [open(calling(one)), open(calling(other))];
  await look();
  expect([theirs.why(), others.why()]).toEqual([undefined, undefined]);
  await change(one);
  await look();
  expect([theirs.why(), others.why()]).toEqual([code, undefined]);
});

test('another role that still allows it ends nothing; where the use is not known it does, and the reader comes back', async () => {
  const one = await member();
  const [call, stream] = [open(calling(one)), open({ actor: one })];
  await membership(one).update({ role: 'operator' });
  await look();
  expect([call.why(), stream.why()]).toEqual([undefined, 'role_not_allowed']);
});

test('once the organization demands its own sign-in, only what that made goes on, for its hours', async () => {
  const { db } = t.ctx;
  const connection_id = newId('sso');
  const connection = { connection_id, organization_id: acme.organization_id, issuer: 'https://idp.acme.example', client_id: 'x', secret_sealed: 'x', domains: ['acme.example'], default_role: 'developer' as const, makes_members: false, session_hours: 12, required: false, created_at: new Date(), updated_at: new Date() }; // prettier-ignore
  await db('sso_connections').insert(connection);
  const [by, otherwise] = [await member({ sso_connection_id: connection_id }), await member()];
  const [proved, plain] = [open(calling(by)), open(calling(otherwise))];
  await db('sso_connections').where({ connection_id }).update({ required: true });
  await look();
  expect([proved.why(), plain.why()]).toEqual([undefined, 'sso_required']);
  await db('web_sessions')
    .where({ session_id: by.sign_in })
    .update({ signed_in_at: new Date(Date.now() - 13 * 3_600_000) });
  await look();
  expect(proved.why()).toBe('sso_required');
  await db('sso_connections').where({ connection_id }).delete();
});

test('a public agent that becomes private ends who has no right of their own, a token of it goes on until it is revoked, and nothing outlives the agent', async () => {
  const { db } = t.ctx;
  const token_id = newId('tok');
  await db('platform_tokens').insert({ token_id, token_hash: hashSecret(newSecret()), kind: 'agent_api', user_id: acme.organization_id, agent_id: agent.id });
  await db('agents').where({ agent_id: agent.id }).update({ visibility: 'public' });
  const owner = open(calling(await member()));
  const token = open(calling({ kind: 'api_token', token_id, agent_id: agent.id, owner_id: acme.organization_id }));
  const stranger = open(calling(userActor(await addUser(db))));
  const anonymous = open(calling({ kind: 'anonymous' }));
  const all = () => [owner.why(), token.why(), stranger.why(), anonymous.why()];
  await look();
  expect(all()).toEqual([undefined, undefined, undefined, undefined]);
  await db('agents').where({ agent_id: agent.id }).update({ visibility: 'unlisted' });
  await look();
  expect(all()).toEqual([undefined, undefined, 'agent_not_found', 'agent_not_found']);
  await db('platform_tokens').where({ token_id }).update({ revoked_at: new Date() });
  await look();
  expect([owner.why(), token.why()]).toEqual([undefined, 'token_invalid']);
  await db('agents').where({ agent_id: agent.id }).update({ deleted_at: new Date() });
  await look();
  expect(owner.why()).toBe('agent_not_found');
  await db('agents').where({ agent_id: agent.id }).update({ deleted_at: null });
});

test('a database that cannot answer ends nothing; the next look ends what has to end', async () => {
  const one = await member();
  const call = open(calling(one));
  await t.ctx.db.raw('alter table organization_members rename to away');
  await look();
  expect(call.why()).toBeUndefined();
  await t.ctx.db.raw('alter table away rename to organization_members');
  await membership(one).delete();
  await look();
  expect(call.why()).toBe('organization_not_yours');
});

test('1,000 connections of 100 people are one query, each of the 100 asked once', async () => {
  const people = [];
  for (let n = 0; n < 100; n += 1) people.push(await member());
  const all = people.flatMap((one) => Array.from({ length: 10 }, () => open(calling(one))));
  const asked: number[] = [];
  const listen = ({ bindings }: { bindings: unknown[] }): void => void asked.push((JSON.parse(String(bindings[0])) as unknown[]).length);
  t.ctx.db.on('query', listen);
  await look();
  t.ctx.db.removeListener('query', listen);
  expect(asked).toEqual([expect.any(Number)]);
  expect(asked[0]).toBeLessThan(120);
  expect(all.map((one) => one.why()).filter((why) => why !== undefined)).toEqual([]);
  await membership(people[7] ?? people[0] ?? (await member())).delete();
  await look();
  expect(all.flatMap((one, at) => (one.why() === undefined ? [] : [at]))).toEqual([70, 71, 72, 73, 74, 75, 76, 77, 78, 79]);
});

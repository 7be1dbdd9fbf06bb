// Every route that changes something, by a member whose role only reads: each is refused for the role, before
// anything is looked up. And every route that reads is not. A new route is checked against this without a
// line of its own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ErrorResponse } from '#contract/error-response.ts';
import { locate } from '#contract/kit.ts';
import { newId } from '#core/kernel/ids.ts';
import { ADMITS } from '#api/http/scopes.ts';
import { callRoute } from './call.ts';
import { createWorld, ROUTES, type World } from './world.ts';

/** No GET, and they change nothing. */
const READS: readonly string[] = ['agentStudio.ideas', 'consumerSetup.invocation', 'policy.test', 'protocolSimulations.readiness'];
/** Pages of the payment processor are for who pays. */
const FOR_PAYERS: readonly string[] = ['testMoney.account', 'testMoney.checkout', 'testMoney.portal'];
/** Where something else is judged first. */
const OTHERWISE: Record<string, string> = {
  'agentReceipts.report': '403 not_your_agent',
  // It belongs to nobody.
  'agentStudio.createGuest': '201',
  // The organization is the one in the path, of which the auditor is no member.
  'compliance.export': '404 organization_not_found',
  'compliance.cancelExport': '404 organization_not_found',
  // Only operators settle.
  'payouts.settle': '403 operator_required',
  'consumerSetup.putOrg': '404 organization_not_found',
  'subagentRuns.track': '403 grant_invalid',
  'workspaceGrants.remove': '403 grant_invalid',
  'workspaceGrants.write': '403 grant_invalid',
};

let world: World;
const slug = 'acme-roles';
beforeAll(async () => {
  world = await createWorld();
  const { organization_id } = await world.as('ada').organizations.create({ body: { slug, name: 'Acme' } });
  const { user_id, email } = await world.as('ben').auth.me();
  await world.ctx.db('agents').where({ name: world.records['name'] ?? '' }).update({ visibility: 'public' }); // prettier-ignore
  const now = new Date();
  await world.ctx.db('organization_members').insert({
    member_id: newId('mem'),
    organization_id,
    user_id,
    email,
    role: 'auditor',
    state: 'active',
    source: 'person',
    created_at: now,
    updated_at: now,
    joined_at: now,
  });
});
afterAll(() => world.close());

const byAccount = ROUTES.filter(({ spec }) => !spec.personal && (ADMITS[spec.scope] as readonly string[]).includes('user') && spec.scope !== 'operator');
const isRead = ({ id, spec }: (typeof ROUTES)[number]): boolean => ['GET', 'HEAD'].includes(locate(spec).method) || READS.includes(id);
const table = (routes: typeof ROUTES) => routes.map((route) => [route.id, route] as const);

async function asAuditor(route: (typeof ROUTES)[number]): Promise<string> {
  const response = await callRoute(world, route, 'ben', { headers: { 'svc-organization': slug } });
  if (response.ok) {
    await response.body?.cancel();
    return `${response.status}`;
  }
  const { detail } = ErrorResponse.parse(await response.json());
  return `${response.status} ${detail.code}`;
}

describe('an auditor is refused what changes something', () => {
  test.each(table(byAccount.filter((route) => !isRead(route))))('%s', async (id, route) => {
    expect(await asAuditor(route)).toBe(OTHERWISE[id] ?? '403 role_not_allowed');
  });
});

describe('and reads', () => {
  test.each(table(byAccount.filter(isRead).filter(({ spec }) => locate(spec).method !== 'HEAD')))('%s', async (_, route) => {
    if (FOR_PAYERS.includes(route.id)) expect(await asAuditor(route)).toBe('403 role_not_allowed');
    else expect(await asAuditor(route)).not.toBe('403 role_not_allowed');
  });
});

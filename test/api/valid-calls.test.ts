// A valid call of every route is answered with the success that it declares, and with what it declares: the
// API under test is strict.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { a2aRemote, hostOf, type Remote } from '#imports/test/remotes.ts';
import { testDns, type TestDns } from '../support/dns.ts';
import { callRoute } from './call.ts';
import { madeByApi } from './records/made-by-api.ts';
import type { RouteId } from '../spec/verifies.ts';
import { callerFor, createWorld, ROUTES, type World } from './world.ts';
import { cites } from '../spec/verifies.ts';

/**
 * Routes that cannot succeed here: why, and where they do. This list only shrinks: an entry whose call
 * succeeds fails.
 */
const EXCEPTIONS: Partial<Record<RouteId, string>> = {
  'auth.start': 'There is no identity provider here. With one: api/routes/identity/auth.test.ts.',
  'admin.login': 'There is no identity provider here. With one: api/routes/platform/admin-billing.test.ts.',
  'auth.callback': 'The identity provider makes the code while a person signs in: api/routes/identity/auth.test.ts.',
  ...ofAll(['auth.startSso', 'auth.ssoCallback', 'auth.redeemSso'], 'No identity provider of an organization is here: api/routes/orgs/sso.test.ts.'),
  ...ofAll(
    ['organizationSso.put', 'organizationSso.require', 'organizationSso.breakGlass', 'organizationSso.link', 'organizationSso.unlink'],
    'They ask the identity provider, or need a sign-in by it: api/routes/orgs/sso.test.ts.',
  ),
  'organizations.join': 'No organization takes people of her domain: api/routes/orgs/organizations.test.ts.',
  ...ofAll(['workerBuilds.list', 'workerBuilds.setCurrent'], 'There is no Temporal here: api/routes/platform/worker-builds.parts.test.ts.'),
  'agents.upgradeRuntime': 'There is no host of agents here to be asked what it has: workflows/upkeep.parts.test.ts.',
  'agentMailboxes.create': 'There is no mail domain here. With one: api/routes/agents/agent-mailboxes.test.ts.',
  'billing.checkout': 'The account has a plan, so that the other routes succeed: api/routes/money/billing.test.ts.',
  'payouts.settle': 'Its scope is every account, and only operators may do it. As one: api/routes/money/payouts.test.ts.',
  'consumerSetup.putOrg': 'The agent here is private to its owner, and no organization sees it. A public one: api/routes/orgs/organizations.test.ts.',
  'collectiveRuntime.approve': 'A gate is opened by a workflow: core/studio/collective/team-run.parts.test.ts.',
  'agentStudio.decide': 'A look at the agents comes before it here, and what has no cause is over then: core/studio/autopilot/autopilot.test.ts.',
};
const excepted = new Map<string, string>(Object.entries(EXCEPTIONS));

/**
 * Calls that are no reading by their method, and leave no audit row: why. This list only shrinks: an entry
 * that leaves one fails.
 */
const UNAUDITED: Partial<Record<RouteId, string>> = {
  ...ofAll(['agents.postEndpoint', 'agents.putEndpoint', 'agents.patchEndpoint', 'agents.deleteEndpoint'], 'The agent answers.'),
  ...ofAll(['agents.invoke', 'agents.mcp'], 'The receipt of the call is its record.'),
  ...ofAll(
    [
      'agentReceipts.report',
      'agentStudio.ideas',
      'agents.openapiPreview',
      'policy.test',
      'scim.search',
      'scim.searchGroups',
      'scim.searchUsers',
      'consumerSetup.invocation',
      'platform.verifyAgentSession',
      'protocolSimulations.readiness',
      'workspaceGrants.stat',
    ],
    'It answers and keeps nothing.',
  ),
  ...ofAll(['admin.putUserFeatureFlags', 'scim.replaceUser', 'payouts.openAccount'], 'What is sent is what there is.'),
  ...ofAll(['testMoney.usePortal', 'testMoney.fillAccount'], 'The payment processor keeps what is done there.'),
  'fileUploads.append': 'The upload is recorded when it is complete.',
  'organizations.verifyDomain': 'The domain has no such record in DNS, and stays as it is.',
  'agents.updateTemplate': 'The agent began with no template.',
  'auth.logout': 'Nobody is signed in by a cookie here.',
  'billing.webhook': 'The payment that it tells of is unknown here.',
  'collectiveRuntime.advance': 'No step of the run is due.',
  'companyBrain.runOnce': 'Nothing waits.',
  'collectiveRuntime.extract': 'What the run taught is kept already.',
  'compliance.enforce': 'It only counts what would go.',
  'platform.releaseScmToken': 'No token has this name.',
  ...ofAll(['scmWebhooks.runtimePush', 'scmWebhooks.sourcePush'], 'Nothing is deployed of the branch that is pushed.'),
};
const unaudited = new Map<string, string>(Object.entries(UNAUDITED));
const audits = async (): Promise<number> => (await world.ctx.db('audit_log').pluck('audit_id')).length;

function ofAll(ids: readonly RouteId[], reason: string): Partial<Record<RouteId, string>> {
  return Object.fromEntries(ids.map((id) => [id, reason]));
}

let world: World;
/** What is imported. */
let elsewhere: Remote;
let dns: TestDns;
beforeAll(async () => {
  elsewhere = await a2aRemote();
  dns = await testDns();
  world = await createWorld({ serving: true, importLocalHosts: [hostOf(elsewhere)], dnsServers: [dns.address] });
  world.calls['agents.import'] = { body: { url: elsewhere.url } };
  Object.assign(world.records, await madeByApi(world));
});
afterAll(async () => {
  await world.close();
  await elsewhere.close();
  await dns.close();
});

const routes = (keep: (id: string) => boolean) => ROUTES.filter(({ id }) => keep(id)).map((route) => [route.id, route] as const);

/** Status, and what a refusal says. */
async function answerTo(route: (typeof ROUTES)[number]): Promise<[status: number, refusal: string]> {
  const response = await callRoute(world, route, callerFor(route.spec.scope));
  const refusal = response.ok ? '' : await response.text();
  // A stream goes on for as long as somebody reads it.
  if (response.ok) await response.body?.cancel();
  return [response.status, refusal];
}

describe('a valid call succeeds', cites('routes.success'), () => {
  test.each(routes((id) => !excepted.has(id)))('%s', async (_, route) => {
    const before = await audits();
    expect(await answerTo(route)).toEqual([route.spec.status ?? 200, '']);
    if (/^(GET|HEAD) /.test(route.spec.at)) return;
    const isAudited = (await audits()) > before;
    expect(isAudited, `${route.id} ${isAudited ? 'leaves an audit row: take it off the list' : 'changes something and leaves no audit row'}`).toBe(
      !unaudited.has(route.id),
    );
  });
});

describe('an exception does not succeed', () => {
  test.each(routes((id) => excepted.has(id)))('%s', async (id, route) => {
    const [status] = await answerTo(route);
    expect(status, `${id} succeeds now: take it off the list of exceptions`).not.toBe(route.spec.status ?? 200);
  });
});

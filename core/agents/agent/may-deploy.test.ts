// A rule that forbids to deploy and to publish is asked on every way to a new version, and on every way into
// the catalog.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { a2aRemote, hostOf, type Remote } from '#imports/test/remotes.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { liveAgent } from '#test/support/runs.ts';
import { greeterFiles } from '#test/support/project.ts';
import { acceptFiles } from '../../deploys/deployment/accept-files.ts';
import { redeploySource } from '../../deploys/deployment/redeploy.ts';
import { upgradeRuntime } from '../../deploys/upgrade/runtime.ts';
import { importAgent } from '../../imports/import/import.ts';
import { saveRules } from '../../policy/cedar/rules.ts';
import { setVisibility } from './visibility.ts';

let t: TestContext;
let ada: TestUser;
let remote: Remote;
let name: string;
/** Of the rules. */
let version = 0;
beforeAll(async () => {
  remote = await a2aRemote();
  t = await testContext({ importLocalHosts: [hostOf(remote)] });
  ada = await t.user('ada');
  ({ name } = await liveAgent(t.ctx, ada.actor.user_id));
});
afterAll(async () => {
  await t.close();
  await remote.close();
});

async function forbid(action: 'deploy' | 'publish' | undefined): Promise<void> {
  const policies = action === undefined ? [] : [{ name: 'never', text: `@id("never")\nforbid(principal, action == Action::"${action}", resource);` }];
  ({ version } = await saveRules(ada, { policies, default_outcome: 'allow', record_allowed: false, version }));
}

const files = () => Object.entries(greeterFiles('forbidden')).map(([path, text]) => ({ path, content: Buffer.from(text), executable: false }));
const ways: Record<string, () => Promise<unknown>> = {
  source: () => acceptFiles(ada, { files: files(), message: 'Greet' }),
  redeploy: () => redeploySource(ada, { name }),
  upgrade: () => upgradeRuntime(ada, { name, check: false, force: true }),
  import: () => importAgent(ada, { url: remote.url, visibility: 'unlisted', auth: null }),
};

test.each(Object.entries(ways))('where the account forbids to deploy: %s', async (_, attempt) => {
  await forbid('deploy');
  await expect(attempt()).rejects.toMatchObject({ code: 'policy_denied' });
  expect(await t.ctx.db('deployments').whereNot({ state: 'live' })).toEqual([]);
});

test('where it forbids to publish: an agent of its own, and one that is imported', async () => {
  await forbid('publish');
  await expect(setVisibility(ada, { name, visibility: 'public' })).rejects.toMatchObject({ code: 'policy_denied' });
  await expect(importAgent(ada, { url: remote.url, visibility: 'public', auth: null })).rejects.toMatchObject({ code: 'policy_denied' });
});

test('without such a rule the same is done', async () => {
  await forbid(undefined);
  expect(await setVisibility(ada, { name, visibility: 'public' })).toMatchObject({ visibility: 'public' });
  expect(await importAgent(ada, { url: remote.url, visibility: 'public', auth: null })).toMatchObject({ name: expect.any(String) });
});

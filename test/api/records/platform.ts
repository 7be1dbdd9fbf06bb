// What operators govern, of this person.
import { newId } from '#core/kernel/ids.ts';
import { callerPaidRun } from '../../support/model-run.ts';
import { WEBHOOK_SECRET } from '../../support/context.ts';
import { forgejoPush, githubPush } from '../../support/webhooks/events.ts';
import { addUser } from '../../support/verbs.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function platformRecords({ ctx, userId, agent }: Owner): Promise<AreaRecords> {
  const flag_key = `flag-${newId('job').slice(-12).toLowerCase()}`;
  await ctx.db('feature_flags').insert({ flag_key, type: 'boolean', default_value: 'false' });
  const pushed = { repository: `${userId}/${agent.name}`, after: 'a'.repeat(40) };
  return {
    params: {
      flag_key,
      token_name: newId('sct'),
      user_id: userId,
      'admin.getSetting.key': 'agents_per_account',
      'admin.putSetting.key': 'agents_per_account',
      plan: 'records',
    },
    calls: {
      // A branch that nothing is deployed of.
      'scmWebhooks.runtimePush': forgejoPush({ ...pushed, ref: 'refs/heads/other' }, WEBHOOK_SECRET),
      'scmWebhooks.sourcePush': githubPush({ ...pushed, ref: 'refs/heads/other' }, WEBHOOK_SECRET),
      'platform.createLlmGrant': { body: { run_token: await callerPaidRun(ctx), budget_micros: 1_000 } },
      'platform.createScmToken': { body: { owner: userId, repository: agent.name } },
      'admin.putControlPolicy': {
        body: {
          suspended: false,
          may_deploy: true,
          may_publish: true,
          may_call_external: true,
          limits: { agents: null, schedules: null, concurrent_runs: null, calls_per_minute: null },
          reason: 'as everybody',
          version: 0,
        },
      },
      'plans.put': {
        body: { name: 'Records', description: '', price_cents: 100, max_seats: 1, included_micros: 0, limits: {}, position: 8, offered: false, version: 0 },
      },
      'admin.putBillingOverride': { body: { funded_calls_per_agent: 5, expires_at: null, reason: 'a pilot', version: 0 } },
      'admin.login': { body: { access_token: 'of-an-identity-provider' } },
      'admin.createPlatformToken': { body: { service: 'mail-gateway', routes: ['POST /v1/platform/agent-session/verify'] } },
      'admin.purgeUsers': { query: { user_ids: await addUser(ctx.db, 'gone') } },
      'admin.putFeatureFlag': { body: { flag_key: 'new-dashboard', type: 'boolean', default_value: true } },
      'admin.putSetting': { body: { value: 4_000, version: 0 } },
      'admin.putUserFeatureFlags': { body: { overrides: {} } },
    },
  };
}

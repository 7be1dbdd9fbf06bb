// What operators govern. Being an operator opens these routes and nothing of any account.
import { z } from 'zod';
import { FeatureFlagIn, FeatureFlagOut, FlagKey, FlagValue, MAX_FLAGS } from '../identity/feature-flags.ts';
import { group } from '../kit.ts';
import { BillingMetricsOut, BillingMetricsQuery, BillingOverrideIn, BillingOverrideOut } from './billing.ts';
import { ControlPolicyIn, ControlPolicyOut } from './control-policy.ts';
import { OperatorLoginIn, OperatorLoginOut } from './operator-login.ts';
import { PurgeUsersOut, PurgeUsersQuery } from './purge.ts';
import { ServiceTokenIn, ServiceTokenOut } from './service-tokens.ts';
import { SettingIn, SettingOut, SettingParams } from './settings.ts';
import { AdminUserListOut, AdminUsersQuery } from './users.ts';

const UserParams = z.object({ user_id: z.string().min(1).max(64) });

const UserFeatureFlagsIn = z
  .strictObject({
    overrides: z
      .record(FlagKey, FlagValue)
      .refine((all) => Object.keys(all).length <= MAX_FLAGS, `at most ${MAX_FLAGS}`)
      .meta({ description: 'All values of this account, by flag; a flag that is left out has its default again.' }),
  })
  .meta({ id: 'UserFeatureFlagsIn' });
export const UserFeatureFlagsOut = z
  .strictObject({
    user_id: z.string(),
    overrides: z.record(z.string(), FlagValue),
    values: z.record(z.string(), FlagValue).meta({ description: 'Every flag, as the account sees it.' }),
  })
  .meta({ id: 'UserFeatureFlagsOut' });

export const admin = group({
  login: {
    at: 'POST /v1/admin/auth/idp',
    summary: 'Show that the identity provider still calls the caller an operator',
    description:
      'The token is checked again, without caches. If the identity provider no longer lists the account as an operator, it loses that role here at once, in its sessions too.',
    scope: 'operator',
    body: OperatorLoginIn,
    out: OperatorLoginOut,
    errors: [401, 403, 503],
  },
  billingMetrics: {
    at: 'GET /v1/admin/billing/metrics',
    summary: 'Read the usage of all accounts in a period, and what the platform funded',
    scope: 'operator',
    query: BillingMetricsQuery,
    out: BillingMetricsOut,
    errors: [401, 403],
  },
  listFeatureFlags: {
    at: 'GET /v1/admin/feature-flags',
    summary: 'Every feature flag',
    description: `All of them: an installation has at most ${MAX_FLAGS}.`,
    scope: 'operator',
    out: z.strictObject({ items: z.array(FeatureFlagOut) }).meta({ id: 'FeatureFlagListOut' }),
    errors: [401, 403],
  },
  putFeatureFlag: {
    at: 'POST /v1/admin/feature-flags',
    summary: 'Define a feature flag, or change one',
    description: 'A change that does not fit the values accounts have of their own is refused.',
    scope: 'operator',
    body: FeatureFlagIn,
    out: FeatureFlagOut,
    errors: [401, 403, 409],
  },
  deleteFeatureFlag: {
    at: 'DELETE /v1/admin/feature-flags/{flag_key}',
    summary: 'Delete a feature flag and every value of it',
    scope: 'operator',
    params: z.object({ flag_key: FlagKey }),
    status: 204,
    errors: [401, 403, 404],
  },
  userFeatureFlags: {
    at: 'GET /v1/admin/users/{user_id}/feature-flags',
    summary: 'Feature flags of one account',
    scope: 'operator',
    params: UserParams,
    out: UserFeatureFlagsOut,
    errors: [401, 403, 404],
  },
  putUserFeatureFlags: {
    at: 'PUT /v1/admin/users/{user_id}/feature-flags',
    summary: 'Set the values of one account',
    scope: 'operator',
    params: UserParams,
    body: UserFeatureFlagsIn,
    out: UserFeatureFlagsOut,
    errors: [401, 403, 404],
  },
  listUsers: {
    at: 'GET /v1/admin/users',
    summary: 'Accounts, the newest first, with how many agents and runs each has',
    scope: 'operator',
    query: AdminUsersQuery,
    out: AdminUserListOut,
    errors: [400, 401, 403],
  },
  purgeUsers: {
    at: 'DELETE /v1/admin/users',
    summary: 'Purge accounts with everything they own',
    description:
      'A job of the operator who asks: it suspends the accounts, stops their agents and runs, and removes what they own, with an event for each table. It can be cancelled until it has begun. What others hold proof of stays without the person: receipts, the names of agents, and ids. Operators cannot purge themselves.',
    scope: 'operator',
    query: PurgeUsersQuery,
    out: PurgeUsersOut,
    status: 202,
    errors: [401, 403, 404, 409],
  },
  controlPolicy: {
    at: 'GET /v1/admin/users/{user_id}/control-policy',
    summary: 'Read the limits that an operator sets for an account',
    scope: 'operator',
    params: UserParams,
    out: ControlPolicyOut,
    errors: [401, 403, 404],
  },
  putControlPolicy: {
    at: 'PUT /v1/admin/users/{user_id}/control-policy',
    summary: 'Suspend an account, forbid it actions, or set its limits',
    description:
      'Every process of the platform follows within two seconds, for tokens and sessions that are in use too. Nothing is ended or deleted: what was refused works again once it is allowed again. Operators cannot suspend themselves.',
    scope: 'operator',
    params: UserParams,
    body: ControlPolicyIn,
    out: ControlPolicyOut,
    errors: [401, 403, 404, 409],
  },
  billingOverride: {
    at: 'GET /v1/admin/users/{user_id}/billing-override',
    summary: 'Read the limits of an account for what the platform funds',
    scope: 'operator',
    params: UserParams,
    out: BillingOverrideOut,
    errors: [401, 403, 404],
  },
  putBillingOverride: {
    at: 'PUT /v1/admin/users/{user_id}/billing-override',
    summary: 'Fund more or fewer calls of an account than of others',
    description: 'It counts from the next call on. What was used stays counted.',
    scope: 'operator',
    params: UserParams,
    body: BillingOverrideIn,
    out: BillingOverrideOut,
    errors: [401, 403, 404, 409],
  },
  createPlatformToken: {
    at: 'POST /v1/admin/users/{user_id}/platform-token',
    summary: 'Make a short-lived token for a service of the platform',
    description:
      'The account answers for the service. The token opens the named routes of scope platform and nothing of any account, also not of this one. It is kept hashed, and shown once.',
    scope: 'operator',
    params: UserParams,
    body: ServiceTokenIn,
    out: ServiceTokenOut,
    status: 201,
    errors: [401, 403, 404, 409],
  },
  listSettings: {
    at: 'GET /v1/admin/settings',
    summary: 'Every setting of the installation, with its bounds',
    scope: 'operator',
    out: z.strictObject({ items: z.array(SettingOut) }).meta({ id: 'SettingListOut' }),
    errors: [401, 403],
  },
  getSetting: {
    at: 'GET /v1/admin/settings/{key}',
    summary: 'One setting',
    scope: 'operator',
    params: SettingParams,
    out: SettingOut,
    errors: [401, 403, 404],
  },
  putSetting: {
    at: 'PUT /v1/admin/settings/{key}',
    summary: 'Change a setting',
    description: 'Every process of the platform follows within seconds, without a restart. The write names the version that it changes.',
    scope: 'operator',
    params: SettingParams,
    body: SettingIn,
    out: SettingOut,
    errors: [401, 403, 404, 409],
  },
});

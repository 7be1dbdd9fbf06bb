import type { admin } from '#contract/platform/admin.ts';
import { deleteFlag } from '#core/identity/feature-flag/delete.ts';
import { listFlags } from '#core/identity/feature-flag/list.ts';
import { flagsOfUser } from '#core/identity/feature-flag/of-user.ts';
import { overrideFlags } from '#core/identity/feature-flag/override.ts';
import { putFlag } from '#core/identity/feature-flag/put.ts';
import { billingMetrics } from '#core/platform/billing/metrics.ts';
import { putBillingOverride } from '#core/platform/billing/put-override.ts';
import { getBillingOverride } from '#core/platform/billing/read-override.ts';
import { putControlPolicy } from '#core/platform/control-policy/put.ts';
import { getControlPolicy } from '#core/platform/control-policy/read.ts';
import { loginOperator } from '#core/platform/operator/login.ts';
import { purgeUsers } from '#core/platform/purge/request.ts';
import { createServiceToken } from '#core/platform/service-token/create.ts';
import { putSetting } from '#core/platform/setting/put.ts';
import { getSetting, listSettings } from '#core/platform/setting/read.ts';
import { listUsers } from '#core/platform/user/list.ts';
import type { Handlers } from '../../http/handlers.ts';

export const adminRoutes: Handlers<typeof admin> = {
  login: (ctx, { body }) => loginOperator(ctx, body),
  billingMetrics: (ctx, { query }) => billingMetrics(ctx, query),
  billingOverride: (ctx, { params }) => getBillingOverride(ctx, params),
  putBillingOverride: (ctx, { params, body }) => putBillingOverride(ctx, { ...params, ...body }),
  listFeatureFlags: (ctx) => listFlags(ctx),
  putFeatureFlag: (ctx, { body }) => putFlag(ctx, body),
  deleteFeatureFlag: (ctx, { params }) => deleteFlag(ctx, params),
  userFeatureFlags: (ctx, { params }) => flagsOfUser(ctx, params),
  putUserFeatureFlags: (ctx, { params, body }) => overrideFlags(ctx, { ...params, ...body }),
  listUsers: (ctx, { query }) => listUsers(ctx, query),
  purgeUsers: (ctx, { query }) => purgeUsers(ctx, query),
  controlPolicy: (ctx, { params }) => getControlPolicy(ctx, params),
  putControlPolicy: (ctx, { params, body }) => putControlPolicy(ctx, { ...params, ...body }),
  createPlatformToken: (ctx, { params, body }) => createServiceToken(ctx, { ...params, ...body }),
  listSettings: (ctx) => listSettings(ctx),
  getSetting: (ctx, { params }) => getSetting(ctx, params),
  putSetting: (ctx, { params, body }) => putSetting(ctx, { ...params, ...body }),
};

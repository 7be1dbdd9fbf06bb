import type { reviewRuns } from '#contract/quality/review-runs.ts';
import type { selfHealing } from '#contract/deploys/self-healing.ts';
import { AgentRuntimeUpgradeIn, AgentTemplateUpdateIn, type upgrades } from '#contract/deploys/upgrades.ts';
import { readHealing } from '#core/deploys/healing/read.ts';
import { getReview, latestReview, listReviews } from '#core/quality/review/read.ts';
import { updateTemplate } from '#core/deploys/template/update.ts';
import { upgradeRuntime } from '#core/deploys/upgrade/runtime.ts';
import type { Handlers } from '../../http/handlers.ts';

export const upkeepRoutes: Handlers<typeof reviewRuns & typeof selfHealing & typeof upgrades> = {
  reviewRuns: (ctx, { params, query }) => listReviews(ctx, { ...params, ...query }),
  latestReviewRun: (ctx, { params }) => latestReview(ctx, params),
  reviewRun: (ctx, { params }) => getReview(ctx, params),
  selfHealing: (ctx, { params, query }) => readHealing(ctx, { ...params, ...query }),
  upgradeRuntime: (ctx, { params, body }) => upgradeRuntime(ctx, { ...params, ...(body ?? AgentRuntimeUpgradeIn.parse({})) }),
  updateTemplate: (ctx, { params, body }) => updateTemplate(ctx, { ...params, ...(body ?? AgentTemplateUpdateIn.parse({})) }),
};

import type { policyRules } from '#contract/policy/policy-rules.ts';
import { listDecisions, testRules } from '#core/policy/cedar/decisions.ts';
import { readRules, saveRules } from '#core/policy/cedar/rules.ts';
import type { Handlers } from '../../http/handlers.ts';

export const policyRuleRoutes: Handlers<typeof policyRules> = {
  rules: (ctx, { query }) => readRules(ctx, query),
  putRules: (ctx, { body }) => saveRules(ctx, body),
  test: (ctx, { body }) => testRules(ctx, body),
  decisions: (ctx, { query }) => listDecisions(ctx, query),
};

// Rules that an account writes in Cedar: who may do what, beyond the fixed policy. They are checked where
// agents act; what they decided can be read, and a change can be tried over it before it holds.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { Instant, nextCursor, pageQuery, SequenceNumber } from '../shared.ts';
import { MAX_RULE_LENGTH, MAX_RULES, MAX_RULES_LENGTH, MAX_TRIED, RULE_NAME } from './rule-limits.ts';
import { POLICY_ACTIONS, POLICY_DEFAULTS, POLICY_OUTCOMES } from '../states.ts';

const RuleName = z.string().regex(RULE_NAME, 'use lower-case letters, digits and inner hyphens, 63 at most, e.g. "no-mail-at-night"');

const NamedRule = z.strictObject({
  name: RuleName,
  text: z
    .string()
    .min(1)
    .max(MAX_RULE_LENGTH)
    .meta({ description: 'One policy of Cedar, without templates. It is checked against the schema of docs/policy.md.' }),
});
const rules = {
  policies: z
    .array(NamedRule)
    .max(MAX_RULES)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two policies have the same name: give each its own')
    .refine(
      (all) => all.reduce((sum, { text }) => sum + text.length, 0) <= MAX_RULES_LENGTH,
      `all texts together are longer than ${MAX_RULES_LENGTH} characters`,
    ),
  default_outcome: z
    .enum(POLICY_DEFAULTS)
    .default('allow')
    .meta({ description: 'What holds where no rule matches. allow: rules only restrict. deny: only what a rule permits is allowed.' }),
};

export const PolicyRulesIn = z
  .strictObject({
    ...rules,
    record_allowed: z
      .boolean()
      .default(true)
      .meta({ description: 'Keep the facts of what was allowed too, so that changes can be tried over them. What was denied or asked is always kept.' }),
    version: SequenceNumber.meta({
      description: 'The version last read: the write is refused when the rules have another version by now. 0: there were none.',
    }),
  })
  .meta({ id: 'PolicyRulesIn', description: 'All rules of the account: they replace those before them at once.' });
export type PolicyRulesIn = z.infer<typeof PolicyRulesIn>;

export const RuleProblem = z
  .strictObject({
    policy: z.string().nullable().meta({ description: 'Name of the policy; null: of all of them together.' }),
    line: z.int().min(1).nullable().meta({ description: 'In the text of that policy.' }),
    column: z.int().min(1).nullable().meta({ description: 'In characters (UTF-16 code units).' }),
    length: z.int().min(0).nullable(),
    message: z.string(),
    help: z.string().nullable(),
  })
  .meta({ id: 'RuleProblem' });
export type RuleProblem = z.infer<typeof RuleProblem>;

const hash = z.string().meta({ description: 'SHA-256 of the rules and their default, in hexadecimal. Receipts and audit rows name it.' });

export const PolicyRulesOut = z
  .strictObject({
    policies: z.array(z.strictObject({ name: z.string(), text: z.string() })),
    default_outcome: z.enum(POLICY_DEFAULTS),
    record_allowed: z.boolean(),
    version: SequenceNumber.meta({ description: '0: the account has never had rules, and nothing is decided by them.' }),
    hash: hash.nullable(),
    updated_at: Instant.nullable(),
    broken: z.string().nullable().meta({ description: 'Why these rules cannot be evaluated: while this is set, all they would decide over is denied.' }),
    warnings: z.array(RuleProblem).meta({ description: 'In the answer to a write: rules that are valid, but can never match.' }),
    history: z
      .array(z.strictObject({ version: z.int(), hash, policies: z.int(), default_outcome: z.enum(POLICY_DEFAULTS), created_at: Instant }))
      .meta({ description: 'The last versions, newest first, this one among them.' }),
  })
  .meta({ id: 'PolicyRulesOut' });
export type PolicyRulesOut = z.infer<typeof PolicyRulesOut>;

const Entity = z.strictObject({ type: z.string(), id: z.string() });
export const PolicyDecisionOut = z
  .strictObject({
    decision_id: z.string(),
    action: z.enum(POLICY_ACTIONS),
    outcome: z.enum(POLICY_OUTCOMES),
    principal: Entity,
    agent: z.string().nullable().meta({ description: 'Name of the agent that acted; null: a person did.' }),
    resource: Entity,
    context: z.record(z.string(), z.unknown()).meta({ description: 'Further inputs of the rules: time, grant, money, counts.' }),
    reasons: z
      .array(z.string())
      .meta({ description: 'Names of the policies that decided; or default_allow, default_deny, and why rules could not be evaluated.' }),
    rules_version: z.int(),
    policy_hash: z.string(),
    decided_at: Instant,
  })
  .meta({ id: 'PolicyDecisionOut' });
export type PolicyDecisionOut = z.infer<typeof PolicyDecisionOut>;

export const PolicyTestIn = z
  .strictObject({
    ...rules,
    last: z
      .int()
      .min(0)
      .max(MAX_TRIED)
      .default(1_000)
      .meta({ description: 'How many of the last decisions. 0: the rules are checked, and tried over nothing.' }),
  })
  .meta({ id: 'PolicyTestIn' });
export type PolicyTestIn = z.infer<typeof PolicyTestIn>;

const outcome = z.enum(POLICY_OUTCOMES);
export const PolicyTestOut = z
  .strictObject({
    problems: z.array(RuleProblem).meta({ description: 'Why the rules cannot be saved. While there are any, nothing is tried.' }),
    warnings: z.array(RuleProblem),
    hash,
    tested: z.int().min(0),
    changed: z.int().min(0),
    changes: z.array(z.strictObject({ from: outcome, to: outcome, count: z.int().min(1) })),
    examples: z
      .array(z.strictObject({ decision: PolicyDecisionOut, outcome, reasons: z.array(z.string()) }))
      .meta({ description: 'The newest decisions whose outcome would change, with the new outcome.' }),
  })
  .meta({ id: 'PolicyTestOut' });
export type PolicyTestOut = z.infer<typeof PolicyTestOut>;

/** Only the account's own rules. */
export const policyRules = svcGroup({
  rules: {
    at: 'GET /v1/me/policy/rules',
    summary: 'The rules of the account, with their last versions',
    scope: 'account',
    query: z.object({ version: z.int().min(1).max(2_147_483_647).optional().meta({ description: 'The rules of this version; default: the current ones.' }) }),
    out: PolicyRulesOut,
    errors: [401, 403, 404],
  },
  putRules: {
    at: 'PUT /v1/me/policy/rules',
    summary: 'Replace the rules of the account; they hold within a second',
    scope: 'account',
    body: PolicyRulesIn,
    bodyBytes: 512 * 1024,
    out: PolicyRulesOut,
    errors: [401, 403, 409, 413, 429],
    limit: 'create',
  },
  test: {
    at: 'POST /v1/me/policy/test',
    summary: 'Check rules, and see which of the last decisions they would change; nothing is saved',
    scope: 'account',
    body: PolicyTestIn,
    bodyBytes: 512 * 1024,
    out: PolicyTestOut,
    errors: [401, 403, 413, 429],
    limit: 'check',
  },
  decisions: {
    at: 'GET /v1/me/policy/decisions',
    summary: 'List the decisions of the rules of the account, newest first',
    scope: 'account',
    query: pageQuery(50, 200, ['m']).extend({ outcome: outcome.optional(), action: z.enum(POLICY_ACTIONS).optional() }),
    out: z.strictObject({ items: z.array(PolicyDecisionOut), next_cursor: nextCursor }).meta({ id: 'PolicyDecisionsOut' }),
    errors: [400, 401, 403],
  },
});

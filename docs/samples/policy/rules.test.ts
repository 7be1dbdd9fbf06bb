// The rules of docs/policy.md: they are valid, the page shows the schema, and they decide as the page says.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readRuleFile } from '#contract/policy/rule-file.ts';
import { Engine } from '#core/policy/cedar/engine.ts';
import { inspect } from '#core/policy/cedar/inspect.ts';
import { loadCedar } from '#core/policy/cedar/load.ts';
import type { RuleContext, RuleFacts, RulePrincipal, RuleResource } from '#core/policy/cedar/request.ts';
import { CEDAR_SCHEMA } from '#core/policy/cedar/schema.ts';

const file = readRuleFile(await readFile(new URL('rules.cedar', import.meta.url), 'utf8'));
const set = { key: 'docs', policies: file.policies, default_outcome: file.default_outcome };
const engine = new Engine();

test('they are valid, without a warning', () => {
  expect(file.problems).toEqual([]);
  expect(inspect(loadCedar, set)).toEqual({ problems: [], warnings: [] });
});

test('the page shows the schema as it is', async () => {
  const page = await readFile(new URL('../../policy.md', import.meta.url), 'utf8');
  expect(page).toContain(`<!-- schema -->\n\`\`\`cedar\n${CEDAR_SCHEMA.trim()}\n\`\`\`\n<!-- end of schema -->`);
});

const run = (agent: string, depth = 1): RulePrincipal => ({ type: 'Run', id: 'run_1', agent, owner: 'usr_a', skill: 'work', depth, caller: null });
const path = (of: string): RuleResource => ({ type: 'Path', path: of });
const host = (of: string): RuleResource => ({ type: 'Host', host: of, port: 443 });
const agent = (name: string, owner: string): RuleResource => ({ type: 'Agent', name, owner });
const NOON = Date.UTC(2026, 5, 3, 12);
const NIGHT = Date.UTC(2026, 5, 3, 23);
const SATURDAY = Date.UTC(2026, 5, 6, 12);
const grant = { id: 'grt_1', issuer: 'usr_a', audience: 'lib', mode: 'read_only', expires_in_s: 7_200, allow_patterns: ['**'], deny_patterns: [] };

test.each<[RulePrincipal, RuleFacts['action'], RuleResource, RuleContext, number, string, string]>([
  [run('lib'), 'write_file', path('contracts/a.pdf'), {}, NOON, 'deny', 'contracts-are-read-only'],
  [run('lib'), 'write_file', path('drafts/a.txt'), {}, NOON, 'ask', 'ask-before-writing'],
  [run('lib'), 'egress', host('10.0.0.1'), {}, NOON, 'deny', 'no-private-networks'],
  [run('lib'), 'egress', host('api.example.org'), {}, NOON, 'allow', 'default_allow'],
  [run('bookkeeper'), 'egress', host('api.example.org'), {}, NOON, 'deny', 'bookkeeper-bank-only'],
  [run('bookkeeper'), 'egress', host('api.bank.example.com'), {}, NOON, 'allow', 'default_allow'],
  [run('lib'), 'handoff', agent('theirs', 'usr_b'), {}, NIGHT, 'deny', 'office-hours'],
  [run('lib'), 'handoff', agent('theirs', 'usr_b'), {}, SATURDAY, 'deny', 'office-hours'],
  [run('lib'), 'handoff', agent('theirs', 'usr_b'), {}, NOON, 'allow', 'default_allow'],
  [run('lib'), 'handoff', agent('mine', 'usr_a'), {}, NIGHT, 'allow', 'default_allow'],
  [run('lib'), 'spend', agent('lib', 'usr_a'), { money: { amount_cents: 501 } }, NOON, 'ask', 'ask-for-large-amounts'],
  [run('lib'), 'spend', agent('lib', 'usr_a'), { money: { amount_cents: 1, day_cents: 5_001 } }, NOON, 'ask', 'ask-for-large-amounts'],
  [run('lib'), 'spend', agent('lib', 'usr_a'), { money: { amount_cents: 500 } }, NOON, 'allow', 'default_allow'],
  [run('lib'), 'expand_scope', path('a.txt'), { grant }, NOON, 'deny', 'short-grants'],
  [run('lib', 4), 'expand_scope', path('a.txt'), {}, NOON, 'deny', 'short-chains'],
  [run('mailroom'), 'publish', agent('mailroom', 'usr_a'), {}, NOON, 'deny', 'mailroom-stays-small'],
])('%j %s %j', (principal, action, resource, context, at, outcome, reason) => {
  expect(engine.decide(set, { principal, action, resource, context, at })).toEqual({ outcome, reasons: [reason] });
});

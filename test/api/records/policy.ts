// Rules of the account, and what they decided. As rows: saving would start the thread that reads rules, in
// every world.
import { newId } from '#core/kernel/ids.ts';
import { ruleSetHash } from '#core/policy/cedar/rule-set.ts';
import type { AreaRecords, Owner } from './area.ts';

const POLICIES = [
  { name: 'no-example', text: '@id("no-example")\nforbid(principal, action in Action::"egress", resource in Host::"example.com");' },
  {
    name: 'ask-before-spending',
    text: '@id("ask-before-spending")\nforbid(principal, action == Action::"spend_without_approval", resource)\nwhen { context has money.amount_cents && context.money.amount_cents > 500 };',
  },
];

export async function policyRecords({ ctx, userId, agent }: Owner): Promise<AreaRecords> {
  const hash = ruleSetHash({ policies: POLICIES, default_outcome: 'allow' });
  const rules = { owner_id: userId, default_outcome: 'allow', record_allowed: true, policies: JSON.stringify(POLICIES), hash } as const;
  await ctx.db('policy_rules').insert([1, 2].map((version) => ({ ...rules, version })));
  const principal = { type: 'Run', id: newId('run'), agent: agent.name, owner: userId, skill: 'greet', depth: 1, caller: userId };
  const made = { owner_id: userId, rules_version: 2, policy_hash: hash, decided_at: new Date(ctx.clock()) };
  const host = (name: string): string => JSON.stringify({ principal, action: 'egress', resource: { type: 'Host', host: name, port: 443 }, context: {} });
  const spent = {
    principal,
    action: 'spend',
    resource: { type: 'Agent', name: agent.name, owner: userId },
    context: { money: { amount_cents: 750, day_cents: 1_200 } },
  };
  await ctx.db('policy_decisions').insert([
    { ...made, decision_id: newId('pdc'), action: 'egress', outcome: 'allow', reasons: ['default_allow'], request: host('api.example.org') },
    { ...made, decision_id: newId('pdc'), action: 'egress', outcome: 'deny', reasons: ['no-example'], request: host('api.example.com') },
    { ...made, decision_id: newId('pdc'), action: 'spend', outcome: 'ask', reasons: ['ask-before-spending'], request: JSON.stringify(spent) },
  ]);
  return { params: {}, calls: { 'policy.putRules': { body: { policies: POLICIES, version: 2 } } } };
}

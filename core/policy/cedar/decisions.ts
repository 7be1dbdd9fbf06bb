// What rules decided, as it is kept: to be read, and to try a change over.
import type { PolicyDecisionOut, PolicyTestIn, PolicyTestOut } from '#contract/policy/policy-rules.ts';
import { MAX_EXAMPLES } from '#contract/policy/rule-limits.ts';
import type { PolicyAction, PolicyOutcome } from '#contract/states.ts';
import type { PolicyDecisionsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { firstId } from '../../kernel/ids.ts';
import { notRetained } from '../../accounts/legal-hold.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { requireUser } from '../../kernel/policy.ts';
import { setting } from '../../kernel/settings.ts';
import { tryApart } from './apart.ts';
import type { RuleFacts } from './request.ts';
import { ruleSetHash } from './rule-set.ts';

const REMOVED_AT_ONCE = 5_000;

interface Wanted {
  limit: number;
  cursor?: string | undefined;
  outcome?: PolicyOutcome | undefined;
  action?: PolicyAction | undefined;
}

export async function listDecisions(ctx: Ctx, i: Wanted): Promise<Page<PolicyDecisionOut>> {
  const { user_id } = requireUser(ctx, 'policy_decision.read');
  const query = ctx
    .db('policy_decisions')
    .where({ owner_id: user_id, ...(i.outcome && { outcome: i.outcome }), ...(i.action && { action: i.action }) })
    .orderBy('decision_id', 'desc')
    .limit(i.limit + 1);
  if (i.cursor !== undefined) {
    const [last] = decodeCursor(i.cursor, ['string']);
    void query.where('decision_id', '<', last);
  }
  return toPage(await query, i.limit, present, ({ decision_id }) => [decision_id]);
}

/** Which of the last decisions would be others. It changes nothing. @throws TooManyRequests rate_limited */
export async function testRules(ctx: Ctx, i: PolicyTestIn): Promise<PolicyTestOut> {
  const { user_id } = requireUser(ctx, 'policy_rules.test');
  const rows = i.last === 0 ? [] : await ctx.db('policy_decisions').where({ owner_id: user_id }).orderBy('decision_id', 'desc').limit(i.last);
  const set = { key: 'tried', policies: i.policies, default_outcome: i.default_outcome };
  const { inspected, verdicts } = await tryApart(user_id, { set, facts: rows.map(factsOf) });
  const tried = rows.flatMap((row, at) => {
    const verdict = verdicts[at];
    return verdict ? [{ row, verdict }] : [];
  });
  const differing = tried.filter(({ row, verdict }) => row.outcome !== verdict.outcome);
  const changes = Map.groupBy(differing, ({ row, verdict }) => `${row.outcome} ${verdict.outcome}`);
  return {
    ...inspected,
    hash: ruleSetHash(i),
    tested: tried.length,
    changed: differing.length,
    changes: [...changes.values()]
      .flatMap((all) => all.slice(0, 1).map(({ row, verdict }) => ({ from: row.outcome, to: verdict.outcome, count: all.length })))
      .sort((a, b) => b.count - a.count),
    examples: differing.slice(0, MAX_EXAMPLES).map(({ row, verdict }) => ({ decision: present(row), outcome: verdict.outcome, reasons: verdict.reasons })),
  };
}

/** Ids tell when: what is older than the installation keeps goes, some at a time. */
export async function retainDecisions(ctx: Ctx): Promise<void> {
  const days = await setting(ctx.db, 'policy_decision_days');
  const before = firstId('pdc', ctx.clock() - days * 86_400_000);
  for (let removed = REMOVED_AT_ONCE; removed === REMOVED_AT_ONCE;) {
    const some = ctx
      .db('policy_decisions')
      .where('decision_id', '<', before)
      .where(notRetained({ owner: 'policy_decisions.owner_id', at: 'policy_decisions.decided_at' }, ctx.clock()))
      .orderBy('decision_id')
      .limit(REMOVED_AT_ONCE)
      .select('decision_id');
    removed = await ctx.db('policy_decisions').whereIn('decision_id', some).delete();
  }
}

// Safe: only record.ts writes them.
function factsOf(row: PolicyDecisionsRow): RuleFacts {
  return { ...(row.request as Omit<RuleFacts, 'at'>), at: row.decided_at.getTime() };
}

function present(row: PolicyDecisionsRow): PolicyDecisionOut {
  const { principal, resource, context, at } = factsOf(row);
  return {
    decision_id: row.decision_id,
    action: row.action,
    outcome: row.outcome,
    principal: entityOf(principal),
    agent: principal.type === 'Run' ? principal.agent : principal.type === 'Agent' ? principal.name : null,
    resource: entityOf(resource),
    context: { ...context, at: new Date(at).toISOString() },
    reasons: row.reasons,
    rules_version: row.rules_version,
    policy_hash: row.policy_hash,
    decided_at: row.decided_at.toISOString(),
  };
}

function entityOf(one: RuleFacts['principal'] | RuleFacts['resource']): { type: string; id: string } {
  switch (one.type) {
    case 'User':
    case 'Run':
      return { type: one.type, id: one.id };
    case 'Agent':
      return { type: one.type, id: one.name };
    case 'Skill':
      return { type: one.type, id: `${one.agent}/${one.skill}` };
    case 'Path':
      return { type: one.type, id: one.path };
    case 'Host':
      return { type: one.type, id: one.port === undefined ? one.host : `${one.host}:${one.port}` };
  }
}

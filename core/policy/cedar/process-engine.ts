// Where rules of accounts are evaluated: short sets here, by one engine for all who ask. A long set takes a
// good part of a second when it is prepared and up to a tenth of one each time it is asked: threads do that,
// one question of an account at a time, and the event loop goes on.
import { fairThreads } from '../../kernel/fair-threads.ts';
import { outsideTx } from '../../kernel/outside-tx.ts';
import { type Break, denied, Engine, type Verdict } from './engine.ts';
import type { RuleFacts } from './request.ts';
import type { NamedRule, RuleSet } from './rule-set.ts';

export interface Evaluated extends RuleSet {
  /** It is evaluated at once. */
  short: boolean;
}

export interface DecideTask {
  set: RuleSet;
  /** Null: only whether the set can be evaluated. */
  facts: RuleFacts | null;
}
interface Answered {
  verdict?: Verdict;
  broken?: Break | undefined;
}

const engine = new Engine();
const threads = fairThreads<DecideTask, Answered>('The thread that decides by rules', new URL('./decide-thread.ts', import.meta.url), {
  threads: 2,
  // Ten times what the largest set takes that can be saved: rules.ts has tried it before.
  pieceMs: 10_000,
  waitingOfAccount: 500,
});
export const ruleThreadCounts = threads.counts;

/**
 * Twenty usual rules have so many. What is written in as few characters as possible is prepared in 20 ms of a
 * processor, and asked in 3.
 */
const MAX_TOKENS_HERE = 2_000;
const MAX_LENGTH_HERE = 8_192;

export function isShort(policies: readonly NamedRule[]): boolean {
  const length = policies.reduce((sum, { text }) => sum + text.length, 0);
  return length <= MAX_LENGTH_HERE && policies.reduce((sum, { text }) => sum + (text.match(/\w+|[^\s\w]/g)?.length ?? 0), 0) <= MAX_TOKENS_HERE;
}

/**
 * Not waited for inside a transaction where the rules are long: that begins again with the answer. Whatever
 * goes wrong denies.
 */
export async function decideBy(accountId: string, rules: Evaluated, facts: RuleFacts): Promise<Verdict> {
  if (rules.short) return engine.decide(rules, facts);
  const answer = await outsideTx(ruleQuestionKey(rules, facts), () => ask(accountId, rules, facts));
  return answer.verdict ?? denied('slow');
}

/** Undefined: they can be evaluated, as far as is known before they are. */
export async function brokenBy(accountId: string, rules: Evaluated): Promise<Break | undefined> {
  return rules.short ? engine.brokenBy(rules) : (await ask(accountId, rules, null)).broken;
}

async function ask(accountId: string, { key, policies, default_outcome }: Evaluated, facts: RuleFacts | null): Promise<Answered> {
  const answer = await threads.tryAsk(accountId, { set: { key, policies, default_outcome }, facts });
  return answer ?? { verdict: denied('slow'), broken: 'slow' };
}

/** One question of a transaction. Time passes when it begins again: that makes it no other question. */
export function ruleQuestionKey({ key }: Evaluated, { principal, action, resource, context: { grant, ...context } }: RuleFacts): string {
  return `rules ${key} ${JSON.stringify([principal, action, resource, context, grant && { ...grant, expires_in_s: 0 }])}`;
}

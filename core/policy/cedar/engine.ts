// Evaluates prepared rules, in its own thread and at once. Whatever goes wrong denies: rules that do not
// parse, a fact that is not clear, a rule that fails (Cedar would leave it out, and with it what it forbids),
// a trap of the engine.
import type { AuthorizationAnswer, StatefulAuthorizationCall } from '@cedar-policy/cedar-wasm/nodejs';
import type { PolicyAction, PolicyOutcome } from '#contract/states.ts';
import { type CedarModule, loadCedar, SCHEMA } from './load.ts';
import { type CedarRequest, cedarRequest, type RuleFacts, UnclearFact } from './request.ts';
import { approvalActions, DEFAULT_DENY, type RuleSet, textsOf } from './rule-set.ts';
import { WITHOUT_APPROVAL } from './schema.ts';

export const BREAKS = ['trap', 'unparsable', 'rule_failed', 'request', 'slow'] as const;
/**
 * The engine fell; the rules do not parse; a rule could not be evaluated; the facts do not fit the schema; it
 * took too long, or too many questions waited.
 */
export type Break = (typeof BREAKS)[number];

export interface Verdict {
  outcome: PolicyOutcome;
  reasons: string[];
  /** Why this denies although no rule says so. */
  broken?: Break;
}

/** Of prepared rules, together; one set may have 64 Ki characters. */
const MAX_PREPARED_LENGTH = 4 * 1024 * 1024;
const MAX_PREPARED = 1_000;
const MAX_REMEMBERED = 10_000;
const LEFT_ALONE_MS = 60_000;

interface Prepared {
  slot: string;
  length: number;
  asked: ReadonlySet<PolicyAction>;
}

export class Engine {
  readonly #load: (fresh: boolean) => CedarModule;
  #cedar: CedarModule | undefined;
  #fallen = false;
  /** By the key of the set, least recently used first. */
  #prepared = new Map<string, Prepared>();
  /** Cedar never frees a prepared set: places are reused. */
  #free: string[] = [];
  #places = 0;
  #length = 0;
  /** Sets that are not tried again for a while: a fresh instance takes 50 ms. */
  readonly #broken = new Map<string, { why: Break; until: number }>();

  /** @param load `fresh`: the instance it gave before is of no use any more */
  constructor(load: (fresh: boolean) => CedarModule = loadCedar) {
    this.#load = load;
  }

  decide(set: RuleSet, facts: RuleFacts): Verdict {
    const known = this.brokenBy(set);
    if (known) return denied(known);
    try {
      return this.#ask(set, facts);
    } catch (error) {
      if (error instanceof UnclearFact) return { outcome: 'deny', reasons: [error.message] };
      return denied(this.#fell(set, error));
    }
  }

  /** Undefined: they can be evaluated, as far as is known before they are. */
  brokenBy(set: RuleSet): Break | undefined {
    const known = this.#known(set);
    if (known) return known;
    try {
      this.#prepare(set);
      return this.#known(set);
    } catch (error) {
      return this.#fell(set, error);
    }
  }

  #known({ key }: RuleSet): Break | undefined {
    const failure = this.#broken.get(key);
    if (failure && failure.until > performance.now()) return failure.why;
    this.#broken.delete(key);
    return undefined;
  }

  #ask(set: RuleSet, facts: RuleFacts): Verdict {
    const prepared = this.#prepare(set);
    const request = cedarRequest(facts);
    const first = this.#evaluate(prepared.slot, facts.action, request);
    if (first.outcome === 'deny' || !prepared.asked.has(facts.action)) return first;
    const second = this.#evaluate(prepared.slot, `${facts.action}${WITHOUT_APPROVAL}`, request);
    if (second.broken || second.outcome === 'allow') return second;
    // A default that denies says nothing of why one asks: what permits it does.
    return { outcome: 'ask', reasons: second.reasons[0] === DEFAULT_DENY ? first.reasons : second.reasons };
  }

  #evaluate(slot: string, action: string, request: CedarRequest): Verdict {
    const call: StatefulAuthorizationCall = {
      ...request,
      action: { type: 'Action', id: action },
      preparsedPolicySetId: slot,
      preparsedSchemaName: SCHEMA,
      validateRequest: true,
    };
    const answer: AuthorizationAnswer = this.#engine().statefulIsAuthorized(call);
    if (answer.type === 'failure') return denied('request');
    const { decision, diagnostics } = answer.response;
    if (diagnostics.errors.length > 0)
      return { outcome: 'deny', reasons: ['rule_failed', ...diagnostics.errors.map(({ policyId }) => policyId).sort()], broken: 'rule_failed' };
    return { outcome: decision, reasons: diagnostics.reason.length === 0 ? [DEFAULT_DENY] : diagnostics.reason.sort() };
  }

  #prepare(set: RuleSet): Prepared {
    const known = this.#prepared.get(set.key);
    if (known) {
      this.#prepared.delete(set.key);
      this.#prepared.set(set.key, known);
      return known;
    }
    const cedar = this.#engine();
    const texts = textsOf(set);
    const length = Object.values(texts).reduce((sum, text) => sum + text.length, 0);
    this.#makeRoom(cedar, length);
    const slot = this.#free.pop() ?? `set ${(this.#places += 1)}`;
    const parsed = cedar.preparsePolicySet(slot, { staticPolicies: texts });
    if (parsed.type === 'failure') {
      this.#free.push(slot);
      this.#remember(set, 'unparsable');
      return { slot: '', length: 0, asked: new Set() };
    }
    const prepared = { slot, length, asked: approvalActions(cedar, set) };
    this.#prepared.set(set.key, prepared);
    this.#length += length;
    return prepared;
  }

  #makeRoom(cedar: CedarModule, length: number): void {
    for (const [key, old] of this.#prepared) {
      if (this.#length + length <= MAX_PREPARED_LENGTH && this.#prepared.size < MAX_PREPARED) return;
      cedar.preparsePolicySet(old.slot, { staticPolicies: {} });
      this.#prepared.delete(key);
      this.#length -= old.length;
      this.#free.push(old.slot);
    }
  }

  #engine(): CedarModule {
    return (this.#cedar ??= this.#load(this.#fallen));
  }

  /** The instance is of no use any more, and these rules would fell the next one too. */
  #fell(set: RuleSet, error: unknown): Break {
    this.#cedar = undefined;
    this.#fallen = true;
    this.#prepared = new Map();
    this.#free = [];
    this.#places = 0;
    this.#length = 0;
    if (isTrap(error)) this.#remember(set, 'trap');
    return 'trap';
  }

  #remember(set: RuleSet, why: Break): void {
    const oldest = this.#broken.size >= MAX_REMEMBERED ? this.#broken.keys().next().value : undefined;
    if (oldest !== undefined) this.#broken.delete(oldest);
    this.#broken.set(set.key, { why, until: performance.now() + LEFT_ALONE_MS });
  }
}

export function denied(broken: Break): Verdict {
  return { outcome: 'deny', reasons: [REASONS[broken]], broken };
}

const REASONS: Record<Break, string> = {
  trap: 'rules_trapped',
  unparsable: 'rules_unparsable',
  rule_failed: 'rule_failed',
  request: 'facts_not_fitting',
  slow: 'rules_too_slow',
};

/** Anything else, such as no memory for an instance, is no fault of these rules. */
function isTrap(error: unknown): boolean {
  return error instanceof Error && (error.name === 'RuntimeError' || (error instanceof RangeError && error.message.includes('call stack')));
}

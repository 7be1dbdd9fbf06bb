// Says what is wrong with rules before they are saved. What people write can fell the engine: this runs in a
// thread of its own (thread.ts).
import type { DetailedError, Expr } from '@cedar-policy/cedar-wasm/nodejs';
import type { RuleProblem } from '#contract/policy/policy-rules.ts';
import { MAX_RULES } from '#contract/policy/rule-limits.ts';
import { POLICY_ACTIONS } from '#contract/states.ts';
import { Engine } from './engine.ts';
import type { CedarModule } from './load.ts';
import type { RuleResource } from './request.ts';
import { type NamedRule, type RuleSet, textsOf } from './rule-set.ts';
import { CEDAR_SCHEMA } from './schema.ts';

export interface Inspected {
  problems: RuleProblem[];
  warnings: RuleProblem[];
}

/**
 * Deeper expressions come near what the engine's stack holds: some are taken, and trap when they are
 * evaluated.
 */
const MAX_DEPTH = 64;
const TOO_DEEP = `It is nested more than ${MAX_DEPTH} levels deep, a chain of && or || one level for each part: split it into several policies`;

type Load = (fresh: boolean) => CedarModule;

/** @param load `fresh`: the instance it gave before has fallen */
export function inspect(load: Load, set: RuleSet): Inspected {
  let cedar = load(false);
  const problems: RuleProblem[] = [];
  for (const rule of set.policies) {
    try {
      problems.push(...parse(cedar, rule));
    } catch {
      problems.push(about(rule.name, TOO_DEEP));
      cedar = load(true);
    }
  }
  if (problems.length > 0) return { problems, warnings: [] };
  try {
    const validated = validate(cedar, set);
    return validated.problems.length > 0 || set.policies.length === 0 ? validated : { ...validated, problems: evaluated(load, set) };
  } catch {
    load(true);
    return { problems: [about(null, 'These policies are too much for the engine: make them shorter')], warnings: [] };
  }
}

function parse(cedar: CedarModule, rule: NamedRule): RuleProblem[] {
  const parsed = cedar.checkParsePolicySet({ staticPolicies: { [rule.name]: rule.text } });
  if (parsed.type === 'failure') return parsed.errors.flatMap((error) => problemOf(rule, error));
  const json = cedar.policyToJson(rule.text);
  if (json.type === 'failure') return json.errors.flatMap((error) => problemOf(rule, error));
  const { id } = json.json.annotations ?? {};
  if (id !== undefined && id !== rule.name) return [about(rule.name, `Its annotation says @id("${id.slice(0, 100)}"): give it the same name`)];
  return json.json.conditions.some(({ body }) => depthOf(body) > MAX_DEPTH) ? [about(rule.name, TOO_DEEP)] : [];
}

function validate(cedar: CedarModule, set: RuleSet): Inspected {
  const answer = cedar.validate({ schema: CEDAR_SCHEMA, policies: { staticPolicies: textsOf(set) }, validationSettings: { mode: 'strict' } });
  const of = new Map(set.policies.map((rule) => [rule.name, rule]));
  if (answer.type === 'failure') return { problems: answer.errors.flatMap((error) => problemOf(undefined, error)), warnings: [] };
  const located = ({ policyId, error }: { policyId: string; error: DetailedError }): RuleProblem[] => problemOf(of.get(policyId), error);
  return { problems: answer.validationErrors.flatMap(located), warnings: answer.validationWarnings.flatMap(located).slice(0, MAX_RULES) };
}

const RESOURCES: readonly RuleResource[] = [
  { type: 'Agent', name: 'a', owner: 'usr_a' },
  { type: 'Skill', agent: 'a', skill: 's', owner: 'usr_a' },
  { type: 'Path', path: 'a/b' },
  { type: 'Host', host: 'a.example.com', port: 443 },
];

/** One question of each kind: a set that only breaks when it is asked is found out now. */
function evaluated(load: Load, set: RuleSet): RuleProblem[] {
  const engine = new Engine(load);
  const money = { amount_cents: 1, run_cents: 1, day_cents: 1, month_cents: 1 };
  for (const action of POLICY_ACTIONS) {
    for (const resource of RESOURCES) {
      const { broken } = engine.decide(set, {
        principal: { type: 'User', id: 'usr_a' },
        action,
        resource,
        context: { money, calls: { run: 1, day: 1 } },
        at: 0,
      });
      if (broken === 'trap' || broken === 'unparsable') return [about(null, 'The engine could not evaluate these policies: make them simpler')];
    }
  }
  return [];
}

/** Levels of an expression, lists and records among them. */
function depthOf(expression: Expr): number {
  let deepest = 0;
  const open: { value: unknown; depth: number }[] = [{ value: expression, depth: 1 }];
  for (let one = open.pop(); one; one = open.pop()) {
    const { value, depth } = one;
    deepest = Math.max(deepest, depth);
    if (typeof value !== 'object' || value === null) continue;
    // An expression is an object of one member, the operator; its operands are a level below.
    const below = Array.isArray(value) ? depth : depth + (Object.keys(value).length === 1 ? 1 : 0);
    for (const member of Object.values(value)) if (typeof member === 'object') open.push({ value: member, depth: below });
  }
  return deepest;
}

function about(policy: string | null, message: string): RuleProblem {
  return { policy, line: null, column: null, length: null, message, help: null };
}

const MESSAGE_PREFIX = /^(?:failed to parse policy with id `[^`]*` from string: |for policy `[^`]*`, )/;

function problemOf(rule: NamedRule | undefined, error: DetailedError): RuleProblem[] {
  const message = error.message.replace(MESSAGE_PREFIX, '');
  const [at] = error.sourceLocations ?? [];
  const expected = at?.label?.startsWith('expected ') === true ? at.label : null;
  const problem: RuleProblem = { ...about(rule?.name ?? null, message.slice(0, 1_000)), help: error.help ?? expected?.slice(0, 1_000) ?? null };
  return [rule && at ? { ...problem, ...placeOf(rule.text, at) } : problem];
}

/** Cedar counts bytes of UTF-8, editors count characters. */
function placeOf(text: string, at: { start: number; end: number }): { line: number; column: number; length: number } {
  const bytes = Buffer.from(text);
  const before = bytes.subarray(0, at.start).toString();
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1, length: bytes.subarray(at.start, at.end).toString().length };
}

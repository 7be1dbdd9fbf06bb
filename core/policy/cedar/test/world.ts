// Rules, requests and a small evaluator for the subset of Cedar that they are made of: the engine's answers
// are checked against it.
import fc from 'fast-check';
import { POLICY_ACTIONS, type PolicyAction, type PolicyDefault, type PolicyOutcome } from '#contract/states.ts';
import type { RuleFacts, RulePrincipal, RuleResource } from '../request.ts';
import { WITHOUT_APPROVAL } from '../schema.ts';

type Scope = { kind: 'any' } | { kind: 'is'; type: string } | { kind: 'in'; type: string; id: string } | { kind: 'eq'; type: string; id: string };
type Condition =
  | { kind: 'hour_before'; hour: number }
  | { kind: 'weekend' }
  | { kind: 'spends_over'; cents: number }
  | { kind: 'granted' }
  | { kind: 'depth_over'; depth: number };

export interface Rule {
  effect: 'permit' | 'forbid';
  principal: Scope;
  /** Undefined: any. `in`: with and without approval. */
  action: { name: PolicyAction; approval: 'in' | 'eq' | 'without' } | undefined;
  resource: Scope;
  when: Condition | undefined;
}

const AGENTS = ['lib', 'mail', 'shop'];
const USERS = ['usr_a', 'usr_b'];
const OWNER: Record<string, string> = { lib: 'usr_a', mail: 'usr_a', shop: 'usr_b' };
const FOLDERS = ['drafts', 'drafts/deep', 'secret'];
const DOMAINS = ['com', 'example.com', 'api.example.com', 'org'];
const RESOURCES: Record<PolicyAction, readonly RuleResource['type'][]> = {
  handoff: ['Agent', 'Skill'],
  grant: ['Agent'],
  write_file: ['Path'],
  egress: ['Host'],
  expand_scope: ['Agent', 'Skill', 'Path'],
  spend: ['Agent', 'Skill'],
  publish: ['Agent'],
  deploy: ['Agent'],
};

const pick = <T>(all: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...all);
const ownerOf = (agent: string): string => OWNER[agent] ?? 'usr_a';

const principalScope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant({ kind: 'any' as const }),
  pick(['User', 'Agent', 'Run']).map((type) => ({ kind: 'is' as const, type })),
  pick(AGENTS).map((id) => ({ kind: 'in' as const, type: 'Agent', id })),
  pick(USERS).map((id) => ({ kind: 'in' as const, type: 'User', id })),
  pick(USERS).map((id) => ({ kind: 'eq' as const, type: 'User', id })),
);
const resourceScope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant({ kind: 'any' as const }),
  pick(['Agent', 'Skill', 'Path', 'Host']).map((type) => ({ kind: 'is' as const, type })),
  pick(AGENTS).map((id) => ({ kind: 'in' as const, type: 'Agent', id })),
  pick(FOLDERS).map((id) => ({ kind: 'in' as const, type: 'Path', id })),
  pick(DOMAINS).map((id) => ({ kind: 'in' as const, type: 'Host', id })),
  pick(DOMAINS).map((id) => ({ kind: 'eq' as const, type: 'Host', id })),
);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.integer({ min: 0, max: 24 }).map((hour) => ({ kind: 'hour_before' as const, hour })),
  fc.constant({ kind: 'weekend' as const }),
  fc.integer({ min: 0, max: 500 }).map((cents) => ({ kind: 'spends_over' as const, cents })),
  fc.constant({ kind: 'granted' as const }),
  fc.integer({ min: 0, max: 4 }).map((depth) => ({ kind: 'depth_over' as const, depth })),
);
export const forbidding = (effect: fc.Arbitrary<Rule['effect']>): fc.Arbitrary<Rule> =>
  fc.record({
    effect,
    principal: principalScope,
    action: fc.option(fc.record({ name: pick(POLICY_ACTIONS), approval: pick(['in', 'eq', 'without', 'without', 'without'] as const) }), { nil: undefined }),
    resource: resourceScope,
    when: fc.option(condition, { nil: undefined }),
  });
export const rule: fc.Arbitrary<Rule> = forbidding(pick(['permit', 'forbid', 'forbid'] as const));

const principal: fc.Arbitrary<RulePrincipal> = fc.oneof(
  pick(USERS).map((id) => ({ type: 'User' as const, id })),
  pick(AGENTS).map((name) => ({ type: 'Agent' as const, name, owner: ownerOf(name) })),
  fc.record({ agent: pick(AGENTS), depth: fc.integer({ min: 1, max: 5 }), caller: fc.option(pick(USERS)) }).map(({ agent, depth, caller }) => ({
    type: 'Run' as const,
    id: `run_${agent}`,
    agent,
    owner: ownerOf(agent),
    skill: 'work',
    depth,
    caller,
  })),
);
const resources: Record<RuleResource['type'], fc.Arbitrary<RuleResource>> = {
  Agent: pick(AGENTS).map((name) => ({ type: 'Agent' as const, name, owner: ownerOf(name) })),
  Skill: pick(AGENTS).map((agent) => ({ type: 'Skill' as const, agent, skill: 'work', owner: ownerOf(agent) })),
  Path: pick(['a.txt', 'drafts/a.txt', 'drafts/deep/b.txt', 'draftsman/c.txt', 'secret/d.txt']).map((path) => ({ type: 'Path' as const, path })),
  Host: pick(['example.com', 'api.example.com', 'v1.api.example.com', 'notexample.com', 'example.org', '10.0.0.1']).map((host) => ({
    type: 'Host' as const,
    host,
  })),
};
export const facts: fc.Arbitrary<RuleFacts> = pick(POLICY_ACTIONS).chain((action) =>
  fc.record({
    principal,
    action: fc.constant(action),
    resource: pick(RESOURCES[action]).chain((type) => resources[type]),
    context: fc.record({
      money: fc.option(fc.record({ amount_cents: fc.integer({ min: 0, max: 600 }) }), { nil: undefined }),
      grant: fc.option(
        fc.constant({ id: 'grt_1', issuer: 'usr_a', audience: 'lib', mode: 'read_only', expires_in_s: 60, allow_patterns: ['**'], deny_patterns: [] }),
        { nil: undefined },
      ),
    }),
    at: fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
  }),
);

export function textOf({ effect, principal: who, action, resource, when }: Rule): string {
  const scope = (name: string, of: Scope): string => {
    if (of.kind === 'any') return name;
    if (of.kind === 'is') return `${name} is ${of.type}`;
    return `${name} ${of.kind === 'in' ? 'in' : '=='} ${of.type}::"${of.id}"`;
  };
  const named = action && `${action.approval === 'in' ? 'in' : '=='} Action::"${action.name}${action.approval === 'without' ? WITHOUT_APPROVAL : ''}"`;
  return `${effect}(${scope('principal', who)}, action${named ? ` ${named}` : ''}, ${scope('resource', resource)})${when ? ` when { ${conditionText(when)} }` : ''};`;
}

function conditionText(when: Condition): string {
  switch (when.kind) {
    case 'hour_before':
      return `context.time.hour < ${when.hour}`;
    case 'weekend':
      return 'context.time.weekday >= 6';
    case 'spends_over':
      return `context has money.amount_cents && context.money.amount_cents > ${when.cents}`;
    case 'granted':
      return 'context has grant';
    case 'depth_over':
      return `principal is Run && principal.depth > ${when.depth}`;
  }
}

/** What the rules mean, written down a second time: nothing of the engine is in it. */
export function reference(rules: readonly Rule[], otherwise: PolicyDefault, asked: RuleFacts): PolicyOutcome {
  const isAllowed = (without: boolean): boolean => {
    const matching = rules.filter((one) => matches(one, asked, without));
    if (matching.some(({ effect }) => effect === 'forbid')) return false;
    return otherwise === 'allow' || matching.some(({ effect }) => effect === 'permit');
  };
  if (!isAllowed(false)) return 'deny';
  return isAllowed(true) ? 'allow' : 'ask';
}

function matches({ principal: who, action, resource, when }: Rule, asked: RuleFacts, without: boolean): boolean {
  const actionHolds = action === undefined || (action.name === asked.action && (action.approval === 'in' || (action.approval === 'without') === without));
  return actionHolds && holds(who, asked.principal) && holds(resource, asked.resource) && (when === undefined || conditionHolds(when, asked));
}

function holds(scope: Scope, entity: RulePrincipal | RuleResource): boolean {
  if (scope.kind === 'any') return true;
  const [self, ...above] = linesOf(entity);
  if (scope.kind === 'is') return self?.startsWith(`${scope.type} `) === true;
  const named = `${scope.type} ${scope.id}`;
  return self === named || (scope.kind === 'in' && above.includes(named));
}

/** Itself, then all that it belongs to. */
function linesOf(entity: RulePrincipal | RuleResource): string[] {
  switch (entity.type) {
    case 'User':
      return [`User ${entity.id}`];
    case 'Agent':
      return [`Agent ${entity.name}`, `User ${entity.owner}`];
    case 'Run':
      return [`Run ${entity.id}`, `Agent ${entity.agent}`, `User ${entity.owner}`];
    case 'Skill':
      return [`Skill ${entity.agent}/${entity.skill}`, `Agent ${entity.agent}`, `User ${entity.owner}`];
    case 'Path':
      return [`Path ${entity.path}`, ...FOLDERS.filter((folder) => entity.path.startsWith(`${folder}/`)).map((folder) => `Path ${folder}`)];
    case 'Host':
      return [`Host ${entity.host}`, ...DOMAINS.filter((domain) => entity.host.endsWith(`.${domain}`)).map((domain) => `Host ${domain}`)];
  }
}

function conditionHolds(when: Condition, { principal: who, context, at }: RuleFacts): boolean {
  const now = new Date(at);
  switch (when.kind) {
    case 'hour_before':
      return now.getUTCHours() < when.hour;
    case 'weekend':
      return [0, 6].includes(now.getUTCDay());
    case 'spends_over':
      return context.money?.amount_cents !== undefined && context.money.amount_cents > when.cents;
    case 'granted':
      return context.grant !== undefined;
    case 'depth_over':
      return who.type === 'Run' && who.depth > when.depth;
  }
}

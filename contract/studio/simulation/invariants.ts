// What must be true after every step, whatever was done. Each is checked independently of what guards the
// acts.
import { grantAllows } from '../../wire/containment.ts';
import { isWrite, remembering, type SimGrant } from './authority.ts';
import type { SimulationSpec } from './spec.ts';
import { trustOf } from './trust.ts';
import type { Allowed, World } from './world.ts';

export interface Violation {
  step: number;
  rule: string;
  /** Id of the actor whose act broke it, or who is affected; null: no single actor. */
  actor: string | null;
  message: string;
}

type CheckResult = Pick<Violation, 'actor' | 'message'> | undefined;

const idOf = (world: World, index: number): string | null => world.actors[index]?.id ?? null;

export const INVARIANTS: Readonly<Record<string, (world: World) => CheckResult>> = {
  money_conserved: ({ book }) => {
    const total = book.total();
    return total === 0 ? undefined : { actor: null, message: `All accounts together hold ${total} micro-credits, not 0` };
  },
  no_overdraft: (world) => {
    const account = world.book.overdrawn();
    if (account === undefined) return undefined;
    const actor = world.actors.find((one) => one.account === account)?.id ?? null;
    return { actor, message: `${actor ?? 'An account'} has ${world.book.balance(account)} micro-credits` };
  },
  containment: (world) => {
    for (const child of world.made) {
      const parent = world.grants.get(child.parent);
      const fault = parent && escape(parent, child);
      if (fault !== undefined) return { actor: idOf(world, child.issuer), message: `A grant was handed on with ${fault}` };
    }
    return undefined;
  },
  budgets: (world) => {
    for (const grant of world.grants.values()) {
      let children = 0;
      for (const { budget } of grant.children) children += budget;
      const { spent, given, budget } = grant;
      if (spent < 0 || children > given || spent + given > budget)
        return {
          actor: idOf(world, grant.holder),
          message: `${spent} spent and ${Math.max(given, children)} handed on of a budget of ${budget} micro-credits`,
        };
    }
    return undefined;
  },
  one_grant_at_a_time: (world) => {
    const wrong = world.allowed.find((one) => !allowedBy(one));
    return (
      wrong && { actor: idOf(world, wrong.actor), message: `${wrong.action} at ${wrong.path} was allowed, and the grant that was shown does not allow it` }
    );
  },
  deny_first: (world) => {
    for (const { actor, action } of world.allowed) {
      const stops = world.policies.find(
        (policy) =>
          policy.effect !== 'allow' &&
          world.step >= policy.from &&
          world.step <= policy.to &&
          (policy.actor ?? actor) === actor &&
          (policy.action ?? action) === action,
      );
      if (stops) return { actor: idOf(world, actor), message: `${action} was allowed while a policy says ${stops.effect}` };
    }
    return undefined;
  },
  nothing_broken: (world) => (world.breach === undefined ? undefined : { actor: idOf(world, world.breach), message: 'An attack was not refused' }),
  slots_bounded: ({ processes, slots }) =>
    processes.size <= slots ? undefined : { actor: null, message: `${processes.size} processes run in ${slots} slots` },
  findings_outlast_proofs: (world) => {
    for (const actor of world.actors) {
      const later = actor.critical_at > 0 && actor.critical_at >= Math.max(actor.proofed_at, actor.reviewed_at);
      if (later && trustOf(actor) !== 'blocked') return { actor: actor.id, message: 'It is trusted in spite of a critical finding' };
    }
    return undefined;
  },
};

const escapes = remembering<string>(4096);
const allowed = remembering<boolean>(65_536);

/** Where the child allows what its parent does not: looked for with paths that its own patterns suggest. */
function escape(parent: SimGrant, child: SimGrant): string | undefined {
  if (child.actions.some((action) => !parent.actions.includes(action))) return 'an action that its parent does not have';
  if (child.expires > parent.expires) return 'a longer life';
  if (child.depth !== parent.depth + 1 || child.depth > parent.max_depth) return 'too great a depth';
  if (child.issuer !== parent.holder) return 'an issuer who does not hold its parent';
  if (child.budget < 0 || child.budget > parent.budget) return 'a larger budget';
  const key = `${parent.actions.some(isWrite)}\0${parent.region}\0${child.actions.some(isWrite)}\0${child.region}`;
  const path = escapes(key, () => probes(parent, child).find((one) => allows(child, one) && !allows(parent, one)) ?? '');
  return path === '' ? undefined : `a path that its parent does not have: ${path}`;
}

function probes(...grants: SimGrant[]): string[] {
  const patterns = new Set(grants.flatMap(({ allow, deny }) => [...allow, ...deny]));
  return [...patterns].flatMap((pattern) => ['a', 'a/b'].map((any) => pattern.replaceAll('**', any).replaceAll('*', 'a').replaceAll('?', 'a')));
}

function allows({ actions, allow, deny }: SimGrant, path: string): boolean {
  const write = actions.some(isWrite);
  const grant = { mode: write ? ('read_write_overlay' as const) : ('read_only' as const), allow_patterns: [...allow], deny_patterns: [...deny] };
  return grantAllows({ ...grant, outputs_prefix: null }, path, write ? 'write' : 'read');
}

function allowedBy({ grant, actor, action, path, step }: Allowed): boolean {
  if (grant.holder !== actor || grant.expires < step || !grant.actions.includes(action)) return false;
  return allowed(`${grant.actions.some(isWrite)}\0${grant.region}\0${path}`, () => allows(grant, path));
}

export function brokenRule(world: World): Violation | undefined {
  for (const [rule, check] of Object.entries(INVARIANTS)) {
    const violation = check(world);
    if (violation) return { step: world.step, rule, ...violation };
  }
  return undefined;
}

/** Of the bounds that the specification sets. */
export function brokenBound(
  { step }: World,
  { invariants }: Pick<SimulationSpec, 'invariants'>,
  sample: Readonly<Record<string, number>>,
): Violation | undefined {
  for (const { metric, at_least, at_most, from_step } of invariants) {
    const value = sample[metric] ?? 0;
    const broken = (message: string): Violation => ({ step, rule: metric, actor: null, message: `${metric} is ${value}: it must be ${message}` });
    if (step < from_step) continue;
    if (at_least !== undefined && value < at_least) return broken(`${at_least} at least`);
    if (at_most !== undefined && value > at_most) return broken(`${at_most} at most`);
  }
  return undefined;
}

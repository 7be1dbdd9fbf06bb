// What actors do. Each is recorded with what came of it, whether it was allowed or not.
import { type AuthorityFault, type Decision, type NewGrant, regionOf, type SimGrant } from './authority.ts';
import { type Actor, MAX_EDGES, MAX_ACTOR_GRANTS, OUTSIDE, PLATFORM, type Process, type World } from './world.ts';

export const ACTS = [
  'delegate',
  'emit_signal',
  'record_outcome',
  'score_participant',
  'revoke_capability',
  'start_process',
  'stop_process',
  'propose_edge',
  'activate_edge',
  'use_edge',
] as const;
type Act = (typeof ACTS)[number];

const OUTCOMES = [
  'done',
  'not_there',
  'busy',
  'unpaid',
  'too_many',
  'not_yours',
  'no_edge',
  'wrong_bucket',
  'wrong_issuer',
  'too_deep',
  'outlives_parent',
  'wider_mode',
  'wider_outputs_prefix',
  'wider_patterns',
  'undecided_patterns',
  'wider_actions',
  'larger_budget',
  'not_live',
  'allowed',
  'denied',
  'frozen',
  'revoked',
  'expired',
  'not_covered',
  'over_budget',
] as const;
export type Outcome = (typeof OUTCOMES)[number] | AuthorityFault | Decision;

const ACT_CODES = new Map<string, number>(ACTS.map((act, at) => [act, at]));
const OUTCOME_CODES = new Map<string, number>(OUTCOMES.map((outcome, at) => [outcome, at]));

/** [actor, act, of whom or what, amount, outcome]. */
function noted(world: World, actor: number, act: Act, about: number, amount: number, outcome: Outcome): Outcome {
  const { record } = world;
  record.add(actor);
  record.add(ACT_CODES.get(act) ?? -1);
  record.add(about);
  record.add(amount);
  record.add(OUTCOME_CODES.get(outcome) ?? -1);
  if (outcome !== 'done') world.count('refused');
  return outcome;
}

export function emitSignal(world: World, actor: Actor, value: number): Outcome {
  actor.signal = value;
  return noted(world, actor.index, 'emit_signal', -1, value, 'done');
}

export function recordOutcome(world: World, actor: Actor, about: Actor, good: boolean): Outcome {
  if (good) about.good += 1;
  else about.bad += 1;
  return noted(world, actor.index, 'record_outcome', about.index, good ? 1 : 0, 'done');
}

export function scoreParticipant(world: World, actor: Actor, about: Actor, points: number): Outcome {
  about.points += points;
  return noted(world, actor.index, 'score_participant', about.index, points, 'done');
}

export function proposeEdge(world: World, actor: Actor, port: number): Outcome {
  const to = world.ports[port];
  if (!to || !world.living(to.owner)) return noted(world, actor.index, 'propose_edge', port, 0, 'not_there');
  if (actor.edges.size >= MAX_EDGES) for (const oldest of actor.edges.keys()) if (actor.edges.size >= MAX_EDGES) actor.edges.delete(oldest);
  if (!actor.edges.has(port)) actor.edges.set(port, to.open);
  return noted(world, actor.index, 'propose_edge', port, to.open ? 1 : 0, 'done');
}

export function activateEdge(world: World, actor: Actor, user: Actor, port: number): Outcome {
  if (world.ports[port]?.owner !== actor.index) return noted(world, actor.index, 'activate_edge', port, user.index, 'not_yours');
  if (!user.edges.has(port)) return noted(world, actor.index, 'activate_edge', port, user.index, 'no_edge');
  user.edges.set(port, true);
  return noted(world, actor.index, 'activate_edge', port, user.index, 'done');
}

/** The first grant that its holder has for an action; a decision is about one. */
export function grantFor(actor: Actor, action: string): SimGrant | undefined {
  for (const grant of actor.grants) if (grant.actions.includes(action)) return grant;
  return undefined;
}

/** One use of a grant: decided, and its amount taken from the grant's budget. */
export function useGrant(world: World, actor: Actor, grant: SimGrant | undefined, action: string, path: string, amount: number): Decision {
  const request = { actor: actor.index, action, path, amount, step: world.step };
  const decision = world.laws.decide(world.policies, grant, request);
  if (decision === 'allowed' && grant) {
    grant.spent += amount;
    world.allowed.push({ ...request, grant });
  }
  return decision;
}

/** Pays the port's price to its owner, less the platform's share; the owner pays what the work costs. */
export function useEdge(world: World, actor: Actor, index: number): Outcome {
  const port = world.ports[index];
  const owner = port && world.living(port.owner);
  const note = (outcome: Outcome, amount = 0): Outcome => noted(world, actor.index, 'use_edge', index, amount, outcome);
  if (!port || !owner) return note('not_there');
  if (actor.edges.get(index) !== true) return note('no_edge');
  if (owner.used >= world.rule('capacity')) return note('busy');
  const { price } = port;
  if (world.balance(actor) < price) return note('unpaid');
  if (port.capability >= 0) {
    const decision = useGrant(world, actor, grantFor(actor, 'spend'), 'spend', `ports/${port.owner}`, price);
    if (decision !== 'allowed') return note(decision);
  }
  const { share, rest } = world.laws.split(price, world.rule('fee_permille'));
  const cost = world.rule('work_micros');
  const fault = world.book.post([
    { account: actor.account, amount_micros: -price },
    { account: owner.account, amount_micros: rest - cost },
    { account: PLATFORM, amount_micros: share },
    { account: OUTSIDE, amount_micros: cost },
  ]);
  if (fault !== undefined) return note('unpaid');
  owner.used += 1;
  world.count('uses');
  world.count('paid', price);
  const good = world.random.chance(owner.skill);
  if (good) owner.good += 1;
  else owner.bad += 1;
  return note('done', price);
}

/** A child of a grant that the actor holds. */
export function delegate(world: World, actor: Actor, parent: SimGrant, child: Omit<NewGrant, 'issuer'>): Outcome {
  const note = (outcome: Outcome): Outcome => noted(world, actor.index, 'delegate', child.holder, child.budget, outcome);
  const holder = world.living(child.holder);
  if (!holder) return note('not_there');
  if (holder.grants.size >= MAX_ACTOR_GRANTS) return note('too_many');
  if (parent.revoked || parent.expires < world.step) return note('not_live');
  const made: NewGrant = { ...child, issuer: actor.index };
  const fault = world.laws.authorityFault(parent, made);
  if (fault !== undefined) return note(fault);
  parent.given += child.budget;
  const limits = { parent: parent.id, depth: parent.depth + 1, max_depth: parent.max_depth, spent: 0, given: 0, revoked: false };
  const grant = { ...made, ...limits, id: (world.nextGrant += 1), children: new Set<SimGrant>(), region: regionOf(child) };
  parent.children.add(grant);
  world.keep(grant);
  world.count('delegated');
  return note('done');
}

/** A child as wide as its parent, with a budget. */
export function handOn(world: World, actor: Actor, to: Actor, budget: number): Outcome | undefined {
  const [grant] = actor.grants;
  return (
    grant && delegate(world, actor, grant, { holder: to.index, actions: grant.actions, allow: grant.allow, deny: grant.deny, expires: grant.expires, budget })
  );
}

/** With all that came from it. Only who issued it, or holds it, may. */
export function revokeCapability(world: World, actor: Actor, grant: SimGrant): Outcome {
  const may = grant.issuer === actor.index || grant.holder === actor.index;
  if (may) revoke(world, grant);
  return noted(world, actor.index, 'revoke_capability', grant.id, 0, may ? 'done' : 'not_yours');
}

export function revoke(world: World, grant: SimGrant): void {
  if (grant.revoked) return;
  grant.revoked = true;
  world.count('revoked');
  for (const child of grant.children) revoke(world, child);
}

/** Asks for a slot; it runs once the order says so. */
export function startProcess(world: World, actor: Actor, length: number): Outcome {
  const process = { owner: actor.index, ends: length, since: world.step };
  const run = `${actor.index}/${world.random.below(8)}`;
  actor.asked += 1;
  const place = joined(world, actor, run, process);
  if (place) actor.queued += 1;
  return noted(world, actor.index, 'start_process', -1, length, place ? 'done' : 'busy');
}

function joined(world: World, actor: Actor, run: string, of: Omit<Process, 'place'>): boolean {
  // Safe: the place is set before anything reads it.
  const process = of as Process;
  const place = world.order.join({ tenant: actor.id, run }, process);
  if (place) process.place = place;
  return place !== undefined;
}

/** Ends one of its own before its time. */
export function stopProcess(world: World, actor: Actor): Outcome {
  for (const process of world.processes) {
    if (process.owner !== actor.index) continue;
    endProcess(world, process);
    return noted(world, actor.index, 'stop_process', -1, 0, 'done');
  }
  return noted(world, actor.index, 'stop_process', -1, 0, 'not_there');
}

export function endProcess(world: World, process: Process): void {
  world.processes.delete(process);
  world.order.leave(process.place);
  const owner = world.actors[process.owner];
  if (owner) owner.running -= 1;
}

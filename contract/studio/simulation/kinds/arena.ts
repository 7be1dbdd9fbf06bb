// Attackers try what the rules forbid; defenders hold grants and take back what looks wrong. Every attempt
// must be refused.
import { delegate, emitSignal, grantFor, revoke, revokeCapability, useGrant } from '../acts.ts';
import type { NewGrant, SimGrant } from '../authority.ts';
import { type Kind, permille, range, type Strategy } from '../kind.ts';
import type { Actor, World } from '../world.ts';

type Child = Omit<NewGrant, 'issuer'>;

const same = (world: World, grant: SimGrant): Child => {
  const { actions, allow, deny, expires } = grant;
  return { holder: world.random.below(world.actors.length), actions, allow, deny, expires, budget: 0 };
};

function attempt(world: World, actor: Actor, outcome: string): void {
  world.count('attempts');
  if (outcome === 'done' || outcome === 'allowed') {
    world.count('breaches');
    world.breach = actor.index;
  } else world.count(`refused_${outcome}`);
}

/** A child that would be more than its parent, in one way. */
const wider = (about: string, change: (world: World, grant: SimGrant) => Partial<Child>): Strategy => ({
  about,
  parameters: {},
  act: (world, actor) => {
    const [grant] = actor.grants;
    if (!grant) return void ask(world, actor);
    attempt(world, actor, delegate(world, actor, grant, { ...same(world, grant), holder: otherThan(world, actor), ...change(world, grant) }));
  },
});

const otherThan = (world: World, actor: Actor): number => (actor.index + 1 + world.random.below(world.actors.length - 1)) % world.actors.length;

/** Asks the defenders for a grant. */
const ask = (world: World, actor: Actor): unknown => emitSignal(world, actor, 1);

const union: Strategy = {
  about: 'Uses two grants to get what neither of them allows.',
  parameters: {},
  act: (world, actor) => {
    if (actor.grants.size < 2) return void ask(world, actor);
    // One reads everywhere, the other writes in one folder: together they would write everywhere.
    const [first, second] = actor.grants;
    attempt(world, actor, useGrant(world, actor, world.random.chance(500) ? first : second, 'write', 'code/a', 0));
  },
};

const revoked: Strategy = {
  about: 'Continues with a revoked grant.',
  parameters: {},
  act: (world, actor) => {
    const [grant] = actor.grants;
    if (!grant) return void ask(world, actor);
    revoke(world, grant);
    attempt(world, actor, useGrant(world, actor, grant, grant.actions[0] ?? 'read', 'docs/a', 0));
  },
};

const overspend: Strategy = {
  about: 'Spends more than its grant allows.',
  parameters: {},
  act: (world, actor) => {
    const grant = grantFor(actor, 'spend');
    if (!grant) return void ask(world, actor);
    attempt(world, actor, useGrant(world, actor, grant, 'spend', 'docs/a', grant.budget - grant.spent - grant.given + 1));
  },
};

const ATTACKS: Record<string, Strategy> = {
  wider_paths: wider('Hands on more paths than it has.', () => ({ allow: ['**'], deny: [] })),
  wider_actions: wider('Hands on an action that it does not have.', () => ({ actions: ['administer'] })),
  outlives: wider('Hands on for longer than it has.', (_, { expires }) => ({ expires: expires + 1 })),
  larger_budget: wider('Hands on more money than it has.', (_, { budget }) => ({ budget: budget + 1 })),
  negative_budget: wider('Hands on a budget below zero, so that its own would grow.', () => ({ budget: -1 })),
  union,
  revoked,
  overspend,
};

const attackers: Record<string, Strategy> = {
  ...ATTACKS,
  any: {
    about: 'Tries one attack after the other, by chance.',
    parameters: {},
    act: (world, actor) => world.random.pick(Object.values(ATTACKS))?.act(world, actor),
  },
};

/** Gives to those who ask: never all it has. */
function serve(world: World, actor: Actor, lifetime: number): void {
  const asks = world.random.pick(world.inRole('attacker'));
  const [root] = actor.grants;
  if (!root || asks?.signal !== 1 || asks.grants.size > 2) return;
  const reads = world.random.chance(500);
  const child = { holder: asks.index, actions: reads ? ['read'] : ['read', 'write', 'spend'], allow: reads ? ['**'] : ['docs/**'], deny: ['secrets/**'] };
  const allow = reads ? root.allow : child.allow;
  delegate(world, actor, root, { ...child, allow, expires: Math.min(root.expires, world.step + lifetime), budget: reads ? 0 : 100 });
  asks.signal = 0;
}

const defenders: Record<string, Strategy> = {
  watchful: {
    about: 'Gives what is asked for, narrowly, and takes it back at times.',
    parameters: { lifetime: range(1, 1000, 10, 'steps'), takes_back_permille: range(0, 1000, 200, 'how often, in a thousand') },
    act: (world, actor) => {
      const [root] = actor.grants;
      const child = [...(root?.children ?? [])].find((one) => !one.revoked);
      if (child && world.random.chance(actor.parameters['takes_back_permille'] ?? 0)) return void revokeCapability(world, actor, child);
      serve(world, actor, actor.parameters['lifetime'] ?? 1);
    },
  },
  lenient: {
    about: 'Gives what is asked for, and takes nothing back.',
    parameters: { lifetime: range(1, 1000, 30, 'steps') },
    act: (world, actor) => serve(world, actor, actor.parameters['lifetime'] ?? 1),
  },
};

export const arena: Kind = {
  title: 'Adversarial arena',
  about: 'Attackers try to escape from their grants in every known way; defenders give and take back. One success ends the run.',
  roles: { defender: defenders, attacker: attackers },
  rules: {},
  metrics: {
    attempts: 'attacks in this step',
    refused: 'acts that were refused, so far',
    breaches: 'attacks that succeeded, so far',
    live: 'grants that are good',
    revoked: 'grants that were taken back, so far',
  },
  subject: 'defender',
  studies: 'all',
  settle: () => undefined,
  sample: (world) => ({
    attempts: world.since('attempts'),
    refused: world.counted('refused'),
    breaches: world.counted('breaches'),
    live: world.grants.size,
    revoked: world.counted('revoked'),
  }),
  /** Requests served, as long as nothing was broken. */
  score: (world) => (world.counted('breaches') > 0 ? 0 : Math.min(1000, permille(world.counted('delegated'), world.step)) * 100),
};

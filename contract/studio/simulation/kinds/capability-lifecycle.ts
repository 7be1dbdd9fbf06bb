// Grants are issued, delegated, used, and end: by time, by revocation, by a spent budget.
import { delegate, emitSignal, revokeCapability, useGrant } from '../acts.ts';
import type { SimGrant } from '../authority.ts';
import { type Kind, permille, range, type Strategy } from '../kind.ts';
import type { Actor, World } from '../world.ts';

const FOLDERS = ['docs', 'docs/public', 'code', 'code/tests', 'private'] as const;

const randomGrant = (world: World, actor: Actor): SimGrant | undefined => world.random.pick([...actor.grants]);

/** A child that is narrower, or, where `wide`, as its parent is. */
function handOn(world: World, actor: Actor, lifetime: number, wide: boolean): void {
  const grant = randomGrant(world, actor);
  if (!grant) return;
  const budget = Math.floor((grant.budget - grant.spent - grant.given) / 3);
  const folder = world.random.pick(FOLDERS) ?? 'docs';
  delegate(world, actor, grant, {
    holder: world.random.below(world.actors.length),
    actions: wide ? grant.actions : grant.actions.slice(0, 1),
    allow: wide ? grant.allow : [`${folder}/**`],
    deny: grant.deny,
    expires: Math.min(grant.expires, world.step + lifetime),
    budget: Math.max(0, budget),
  });
}

const lifetime = range(1, 1000, 12, 'steps that a child lives');
const shares = range(0, 1000, 400, 'how often it hands on, in a thousand');

/** Says whether it was allowed, so that it is in the record. */
function work(world: World, actor: Actor): void {
  const grant = randomGrant(world, actor);
  const folder = world.random.pick(FOLDERS) ?? 'docs';
  const decision = useGrant(world, actor, grant, world.random.chance(700) ? 'read' : 'write', `${folder}/note.md`, world.rule('use_micros'));
  world.count(decision === 'allowed' ? 'uses' : 'refused');
  emitSignal(world, actor, decision === 'allowed' ? 1 : 0);
}

const holders: Record<string, Strategy> = {
  careful: {
    about: 'Hands on narrow grants for a short time, and takes them back.',
    parameters: { lifetime, shares_permille: shares, takes_back_permille: range(0, 1000, 150, 'how often, in a thousand') },
    act: (world, actor) => {
      if (world.random.chance(actor.parameters['takes_back_permille'] ?? 0)) {
        const grant = randomGrant(world, actor);
        const child = [...(grant?.children ?? [])].find((one) => !one.revoked);
        if (child) return void revokeCapability(world, actor, child);
      }
      if (world.random.chance(actor.parameters['shares_permille'] ?? 0)) handOn(world, actor, actor.parameters['lifetime'] ?? 1, false);
      else work(world, actor);
    },
  },
  generous: {
    about: 'Hands on all that it has.',
    parameters: { lifetime, shares_permille: shares },
    act: (world, actor) => {
      if (world.random.chance(actor.parameters['shares_permille'] ?? 0)) handOn(world, actor, actor.parameters['lifetime'] ?? 1, true);
      else work(world, actor);
    },
  },
  worker: { about: 'Uses what it holds.', parameters: {}, act: work },
};

export const capabilityLifecycle: Kind = {
  title: 'Life of capabilities',
  about: 'Holders of grants hand them on, use them and take them back, under the containment rules of the platform.',
  roles: { holder: holders },
  rules: { use_micros: range(0, 1_000_000, 10, 'what one use takes from the budget of its grant') },
  metrics: {
    live: 'grants that are good',
    deepest: 'how often the deepest was handed on',
    uses: 'uses that were allowed, in this step',
    refused: 'acts that were refused, in this step',
    ended: 'grants that were revoked, so far',
  },
  subject: 'holder',
  studies: 'all',
  settle: () => undefined,
  sample(world) {
    let deepest = 0;
    for (const { depth } of world.grants.values()) deepest = Math.max(deepest, depth);
    return { live: world.grants.size, deepest, uses: world.since('uses'), refused: world.since('refused'), ended: world.counted('revoked') };
  },
  /** Uses that were allowed, of all that was tried. */
  score: (world) => permille(world.counted('uses'), world.counted('uses') + world.counted('refused')) * 100,
};

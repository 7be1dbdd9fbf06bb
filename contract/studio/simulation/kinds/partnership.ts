// Partners met by chance put something into a common project, or keep it. What was put in grows, and is
// shared equally.
import { emitSignal } from '../acts.ts';
import { type Kind, permille, range, type Strategy } from '../kind.ts';
import { type Actor, COMMONS, OUTSIDE, type World } from '../world.ts';

/**
 * What it does next, by what its last partner did: 1 gives, 0 keeps. `mind`: the last partner gave (1) or
 * kept (-1).
 */
const decides = (about: string, parameters: Strategy['parameters'], gives: (world: World, actor: Actor) => boolean): Strategy => ({
  about,
  parameters,
  act: (world, actor) => void emitSignal(world, actor, gives(world, actor) ? 1 : 0),
});

const partners: Record<string, Strategy> = {
  reciprocal: decides('Gives unless its last partner kept.', {}, (_, actor) => actor.mind >= 0),
  generous: decides(
    'As reciprocal, and forgives at times.',
    { forgive_permille: range(0, 1000, 200, 'how often, in a thousand') },
    (world, actor) => actor.mind >= 0 || world.random.chance(actor.parameters['forgive_permille'] ?? 0),
  ),
  grudging: decides('Gives until somebody has kept more often than it bears.', { bears: range(0, 100, 2, 'partners who kept') }, (_, actor) => {
    return actor.wronged <= (actor.parameters['bears'] ?? 0);
  }),
  selfish: decides('Keeps.', {}, () => false),
};

export const partnership: Kind = {
  title: 'Partnership',
  about: 'Two partners at a time decide, without knowing of each other, whether to put something into a common project.',
  roles: { partner: partners },
  rules: {
    stake_micros: range(1, 1_000_000, 1_000, 'what one puts in'),
    growth_permille: range(1000, 3000, 1500, 'what becomes of what was put in, in a thousand'),
  },
  metrics: {
    giving_permille: 'partners who gave in this step, in a thousand',
    projects: 'projects of two who gave, in this step',
    held_micros: 'held by all partners, micro-credits',
    poorest_micros: 'held by the poorest, micro-credits',
  },
  subject: 'partner',
  studies: 'first',
  settle(world) {
    const seats = Int32Array.from(world.actors.keys());
    world.random.shuffle(seats);
    for (let at = 0; at + 1 < seats.length; at += 2) {
      const pair = [world.living(seats[at] ?? 0), world.living(seats[at + 1] ?? 0)] as const;
      if (pair[0] && pair[1]) share(world, pair[0], pair[1]);
    }
  },
  sample(world) {
    let [giving, held, poorest] = [0, 0, Number.MAX_SAFE_INTEGER];
    for (const actor of world.actors) {
      giving += actor.signal;
      held += world.balance(actor);
      poorest = Math.min(poorest, world.balance(actor));
    }
    return { giving_permille: permille(giving, world.actors.length), projects: world.since('projects'), held_micros: held, poorest_micros: poorest };
  },
  /** The first partner's gain, as a share of the gain among partners who only give. */
  score(world) {
    const [first] = world.actors;
    if (!first || world.step === 0) return 0;
    const best = Math.floor((world.rule('stake_micros') * (world.rule('growth_permille') - 1000)) / 1000) * world.step;
    const gained = world.balance(first) - first.began;
    return Math.max(0, Math.min(100_000, permille(gained, Math.max(1, best * 2)) * 100));
  },
};

function share(world: World, one: Actor, other: Actor): void {
  const stake = world.rule('stake_micros');
  let pot = 0;
  for (const actor of [one, other]) {
    if (actor.signal === 1 && world.book.move(actor.account, COMMONS, stake) === undefined) pot += stake;
    else actor.signal = 0;
  }
  for (const [actor, partner] of [
    [one, other],
    [other, one],
  ] as const) {
    actor.mind = partner.signal === 1 ? 1 : -1;
    if (partner.signal === 1) partner.good += 1;
    else [partner.bad, actor.wronged] = [partner.bad + 1, actor.wronged + 1];
  }
  if (pot === 0) return;
  if (pot === stake * 2) world.count('projects');
  const grown = Math.floor((pot * world.rule('growth_permille')) / 1000);
  const { share: half, rest } = world.laws.split(grown, 500);
  world.book.post([
    { account: COMMONS, amount_micros: -pot },
    { account: OUTSIDE, amount_micros: pot - grown },
    { account: one.account, amount_micros: half },
    { account: other.account, amount_micros: rest },
  ]);
}

// Each actor meets each other actor, round by round (the circle method). Effort costs, the better one of a
// pair takes both stakes.
import { emitSignal, scoreParticipant } from '../acts.ts';
import { clamp, type Kind, permille, range, type Strategy } from '../kind.ts';
import { type Actor, COMMONS, OUTSIDE, PLATFORM, type World } from '../world.ts';

const EFFORT = { min: 0, max: 1000 };

const contenders: Record<string, Strategy> = {
  steady: {
    about: 'Always makes the same effort.',
    parameters: { effort: range(0, 1000, 500, 'of 1000') },
    act: (world, actor) => void emitSignal(world, actor, actor.parameters['effort'] ?? 0),
  },
  risky: {
    about: 'Makes a large effort at times, and none at others.',
    parameters: { effort: range(0, 1000, 900, 'of 1000, when it does'), often_permille: range(0, 1000, 500, 'how often, in a thousand') },
    act: (world, actor) => void emitSignal(world, actor, world.random.chance(actor.parameters['often_permille'] ?? 0) ? (actor.parameters['effort'] ?? 0) : 0),
  },
  adaptive: {
    about: 'Makes more effort after a defeat, less after a victory.',
    parameters: { by: range(1, 500, 60, 'how much more or less') },
    act: (world, actor) => {
      const by = actor.parameters['by'] ?? 0;
      emitSignal(world, actor, clamp((world.step === 1 ? 500 : actor.signal) + (actor.mind < 0 ? by : actor.mind > 0 ? -by : 0), EFFORT));
    },
  },
};

function meet(world: World, one: Actor, other: Actor): void {
  const stake = world.rule('stake_micros');
  const cost = (actor: Actor): number => Math.floor((actor.signal * world.rule('effort_micros')) / 1000);
  if ([one, other].some((actor) => world.balance(actor) < stake + cost(actor))) return;
  for (const actor of [one, other]) {
    world.book.move(actor.account, OUTSIDE, cost(actor));
    world.book.move(actor.account, COMMONS, stake);
  }
  const strength = (actor: Actor): number => actor.skill + actor.signal + world.random.near(world.rule('luck'));
  const [a, b] = [strength(one), strength(other)];
  const [winner, loser] = a >= b ? [one, other] : [other, one];
  const { share, rest } = world.laws.split(stake * 2, world.rule('fee_permille'));
  world.book.post([
    { account: COMMONS, amount_micros: -stake * 2 },
    { account: PLATFORM, amount_micros: share },
    { account: winner.account, amount_micros: rest },
  ]);
  [winner.mind, loser.mind] = [1, -1];
  world.count('matches');
  if (winner.strategy !== loser.strategy) world.count('upsets', winner.skill < loser.skill ? 1 : 0);
  scoreParticipant(world, loser, winner, 1);
}

export const tournament: Kind = {
  title: 'Tournament',
  about: 'Contenders meet in pairs, each with a stake; effort costs; luck is bounded.',
  roles: { contender: contenders },
  rules: {
    stake_micros: range(0, 1_000_000, 1_000, 'of each, in each match'),
    effort_micros: range(0, 1_000_000, 600, 'what full effort costs'),
    luck: range(0, 1000, 300, 'how much luck adds or takes at most'),
    fee_permille: range(0, 500, 50, "the platform's share of the stakes, in a thousand"),
  },
  metrics: {
    matches: 'matches in this step',
    leader_points: 'victories of the one with most',
    spread_points: 'victories between the first and the last',
    effort: 'mean effort, of 1000',
    held_micros: 'held by all contenders, micro-credits',
  },
  subject: 'contender',
  studies: 'first',
  settle(world) {
    const n = world.actors.length + (world.actors.length % 2);
    for (let at = 0; at < n / 2; at += 1) {
      const seat = (place: number): number => (place === 0 ? 0 : 1 + ((place - 1 + world.step) % (n - 1)));
      const [one, other] = [world.living(seat(at)), world.living(seat(n - 1 - at))];
      if (one && other) meet(world, one, other);
    }
  },
  sample(world) {
    let [most, least, effort, held] = [0, Number.MAX_SAFE_INTEGER, 0, 0];
    for (const actor of world.actors) {
      most = Math.max(most, actor.points);
      least = Math.min(least, actor.points);
      effort += actor.signal;
      held += world.balance(actor);
    }
    const mean = Math.floor(effort / world.actors.length);
    return { matches: world.since('matches'), leader_points: most, spread_points: most - least, effort: mean, held_micros: held };
  },
  /** Of the first contender: its victories, of those that it could have had. */
  score: (world) => permille(world.actors[0]?.points ?? 0, world.step) * 100,
};

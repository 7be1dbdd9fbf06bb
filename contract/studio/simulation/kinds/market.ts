// Creators sell what their agents do, buyers choose, the platform takes its share. Creators pay to be there,
// whether they sell or not.
import { emitSignal, proposeEdge, useEdge } from '../acts.ts';
import { clamp, type Kind, permille, range, type Strategy } from '../kind.ts';
import { reputation } from '../trust.ts';
import { type Actor, OUTSIDE, type Port, type World } from '../world.ts';

const PRICES = { min: 1, max: 1_000_000 };

/** Sets the price of its port, and says so where it is another one. */
function ask(world: World, actor: Actor, wanted: number): void {
  const price = clamp(wanted, PRICES);
  for (const port of portsOf(world, actor)) port.price = price;
  if (actor.signal !== price) emitSignal(world, actor, price);
}

const owned = new WeakMap<World, Map<number, Port[]>>();

function portsOf(world: World, actor: Actor): readonly Port[] {
  let all = owned.get(world);
  if (!all) {
    all = new Map();
    for (const port of world.ports) all.set(port.owner, [...(all.get(port.owner) ?? []), port]);
    owned.set(world, all);
  }
  return all.get(actor.index) ?? [];
}

/** What a step costs a creator, for each sale that it usually makes, or hopes for at least. */
function unitCost(world: World, actor: Actor): number {
  const usual = Math.max(actor.usual, actor.parameters['hoped_permille'] ?? 1);
  return world.rule('work_micros') + Math.floor((world.rule('upkeep_micros') * 1000) / usual);
}

/** So much that what is left after the platform's share is `net`. */
const gross = (world: World, net: number): number => Math.ceil((net * 1000) / Math.max(1, 1000 - world.rule('fee_permille')));

const creators: Record<string, Strategy> = {
  fixed_price: {
    about: 'Always asks the same.',
    parameters: { price_micros: range(1, 1_000_000, 1_500, 'micro-credits') },
    act: (world, actor) => ask(world, actor, actor.parameters['price_micros'] ?? 1),
  },
  cost_plus: {
    about: 'Asks what a sale costs at its usual number of sales, and a margin.',
    parameters: {
      margin_permille: range(0, 3_000, 250, 'of its costs, in a thousand'),
      hoped_permille: range(100, 10_000, 1_500, 'sales in a step that it counts with at least, in thousandths'),
    },
    act: (world, actor) => ask(world, actor, gross(world, Math.floor((unitCost(world, actor) * (1_000 + (actor.parameters['margin_permille'] ?? 0))) / 1000))),
  },
  undercut: {
    about: 'Asks less than another one whom it looks at, and never less than its work costs.',
    parameters: { cut_permille: range(1, 500, 50, 'of the price it saw, in a thousand') },
    act: (world, actor) => {
      const seen = world.ports[world.random.below(world.ports.length)];
      const price = seen && world.living(seen.owner) && seen.owner !== actor.index ? seen.price : (portsOf(world, actor)[0]?.price ?? 1);
      const lower = Math.floor((price * (1000 - (actor.parameters['cut_permille'] ?? 0))) / 1000);
      ask(world, actor, Math.max(lower, gross(world, world.rule('work_micros'))));
    },
  },
  demand_following: {
    about: 'Asks more after a step in which it was sold out, less after one without a sale.',
    parameters: { up_permille: range(0, 500, 80, 'more, in a thousand'), down_permille: range(0, 500, 40, 'less, in a thousand') },
    act: (world, actor) => {
      const now = portsOf(world, actor)[0]?.price ?? 1;
      const soldOut = actor.mind >= world.rule('capacity');
      const by = soldOut ? (actor.parameters['up_permille'] ?? 0) : actor.mind === 0 ? -(actor.parameters['down_permille'] ?? 0) : 0;
      ask(world, actor, Math.max(Math.floor((now * (1000 + by)) / 1000), gross(world, world.rule('work_micros'))));
    },
  },
};

/** Looks at some ports and buys at the best, if that is worth it. */
function buy(world: World, actor: Actor, worth: (port: Port, owner: Actor) => number): void {
  if (!world.random.chance(world.rule('demand_permille')) || world.ports.length === 0) return;
  let best: Port | undefined;
  let most = 0;
  for (let look = actor.parameters['looks'] ?? 4; look > 0; look -= 1) {
    const port = world.ports[world.random.below(world.ports.length)];
    const owner = port && world.living(port.owner);
    if (!port || !owner || owner.used >= world.rule('capacity')) continue;
    const value = worth(port, owner);
    if (value > most) [best, most] = [port, value];
  }
  world.count('wanted');
  if (!best) return;
  if (!actor.edges.has(best.index)) proposeEdge(world, actor, best.index);
  useEdge(world, actor, best.index);
}

const looks = range(1, 16, 4, 'ports that it looks at');
const reserve = range(1, 1_000_000, 6_000, 'micro-credits: it pays no more than this');

const buyers: Record<string, Strategy> = {
  cheapest: {
    about: 'Buys at the lowest price it sees.',
    parameters: { looks, reserve_micros: reserve },
    act: (world, actor) => buy(world, actor, ({ price }) => (actor.parameters['reserve_micros'] ?? 0) - price + 1),
  },
  careful: {
    about: 'Weighs the price against how often the creator did well.',
    parameters: { looks, reserve_micros: reserve },
    act: (world, actor) =>
      buy(world, actor, ({ price }, owner) => Math.floor(((actor.parameters['reserve_micros'] ?? 0) * reputation(owner)) / 1000) - price + 1),
  },
};

export const market: Kind = {
  title: 'Market',
  about: 'Creators sell to buyers; the platform takes a share; upkeep is due each step. Who cannot pay it closes.',
  roles: { creator: creators, buyer: buyers },
  rules: {
    fee_permille: range(0, 500, 100, "the platform's share of a sale, in a thousand"),
    upkeep_micros: range(0, 1_000_000, 1_500, 'due from each creator, each step'),
    work_micros: range(0, 1_000_000, 400, 'what one sale costs its creator'),
    demand_permille: range(0, 1000, 700, 'how often a buyer wants something in a step, in a thousand'),
    income_micros: range(0, 1_000_000, 4_000, 'of each buyer, each step'),
    capacity: range(1, 1000, 4, 'sales of one creator in one step'),
  },
  metrics: {
    solvent_permille: 'creators that have not closed, in a thousand',
    served_permille: 'wishes that ended in a sale in this step, in a thousand',
    price_micros: 'mean price asked, micro-credits',
    sales: 'sales in this step',
    creators_micros: 'held by all creators, micro-credits',
  },
  subject: 'creator',
  studies: 'all',
  settle(world) {
    for (const actor of world.actors) {
      if (!actor.alive) continue;
      if (actor.role === 'buyer') {
        world.book.move(OUTSIDE, actor.account, world.rule('income_micros'));
        continue;
      }
      actor.mind = actor.used;
      actor.usual = Math.floor((actor.usual * 9 + actor.used * 1000) / 10);
      if (world.book.move(actor.account, OUTSIDE, world.rule('upkeep_micros')) === undefined) continue;
      actor.alive = false;
      world.count('closed');
      world.record.add(actor.index);
    }
  },
  sample(world) {
    let [all, open, price, held] = [0, 0, 0, 0];
    for (const actor of world.actors) {
      if (actor.role !== 'creator') continue;
      all += 1;
      held += world.balance(actor);
      if (!actor.alive) continue;
      open += 1;
      price += portsOf(world, actor)[0]?.price ?? 0;
    }
    const [sales, wanted] = [world.since('uses'), world.since('wanted')];
    const solvent_permille = permille(open, all);
    return {
      solvent_permille,
      served_permille: permille(sales, wanted),
      price_micros: open === 0 ? 0 : Math.floor(price / open),
      sales,
      creators_micros: held,
    };
  },
  score(world) {
    const { solvent_permille = 0 } = market.sample(world);
    return solvent_permille * 70 + permille(world.counted('uses'), world.counted('wanted')) * 30;
  },
};

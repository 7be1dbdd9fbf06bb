// Many want the same few slots. The order of turns is the platform's own (wire/fair-order.ts).
import { endProcess, startProcess, stopProcess } from '../acts.ts';
import { type Kind, permille, range, type Strategy } from '../kind.ts';
import { type Actor, OUTSIDE, PLATFORM, type World } from '../world.ts';

const length = range(1, 50, 3, 'steps that one process takes');

const workers: Record<string, Strategy> = {
  polite: {
    about: 'Asks for one slot when it has none.',
    parameters: { length },
    act: (world, actor) => {
      if (actor.running + actor.queued === 0) startProcess(world, actor, actor.parameters['length'] ?? 1);
    },
  },
  greedy: {
    about: 'Keeps as many requests in the queue as it may.',
    parameters: { length },
    act: (world, actor) => void startProcess(world, actor, actor.parameters['length'] ?? 1),
  },
  bursty: {
    about: 'Rests, then asks for several slots.',
    parameters: { length, often_permille: range(1, 1000, 150, 'how often, in a thousand'), burst: range(1, 8, 4, 'requests at once') },
    act: (world, actor) => {
      if (!world.random.chance(actor.parameters['often_permille'] ?? 0)) return;
      for (let left = actor.parameters['burst'] ?? 1; left > 0; left -= 1) startProcess(world, actor, actor.parameters['length'] ?? 1);
    },
  },
  impatient: {
    about: 'Gives a slot back before it is done, at times.',
    parameters: { length, stops_permille: range(0, 1000, 100, 'how often, in a thousand') },
    act: (world, actor) => {
      if (actor.running > 0 && world.random.chance(actor.parameters['stops_permille'] ?? 0)) stopProcess(world, actor);
      else if (actor.running + actor.queued === 0) startProcess(world, actor, actor.parameters['length'] ?? 1);
    },
  },
};

/** Jain's index of what each got, in a thousand: 1000 is the same for all. */
function fairness(world: World): number {
  let [sum, squares, n] = [0, 0, 0];
  for (const { points, asked } of world.actors) {
    if (asked === 0) continue;
    n += 1;
    sum += points;
    squares += points * points;
  }
  return squares === 0 ? 1000 : Math.floor((sum * sum * 1000) / (n * squares));
}

const waitsLongest = (world: World): Actor | undefined =>
  world.actors.reduce<Actor | undefined>((longest, actor) => (actor.waiting > (longest?.waiting ?? 0) ? actor : longest), undefined);

export const resourceCompetition: Kind = {
  title: 'Resource competition',
  about: 'Workers want slots; tenants take turns, so that a long queue of one delays the others by one holder at most.',
  roles: { worker: workers },
  rules: {
    slots: range(1, 1000, 4, 'processes at the same time'),
    rent_micros: range(0, 1_000_000, 100, 'what one slot costs in a step'),
  },
  metrics: {
    running: 'slots in use',
    fairness_permille: "Jain's index of the slots each has had, in a thousand",
    longest_wait: 'steps that the one waits who has waited longest',
    ended: 'processes that ended in this step',
    rent_micros: 'paid for slots so far, micro-credits',
  },
  subject: 'worker',
  studies: 'first',
  settle(world) {
    for (const process of world.processes) if (process.ends <= world.step) ended(world, process.owner, () => endProcess(world, process));
    for (let admitted = world.order.next(); admitted; admitted = world.order.next()) {
      const { ticket } = admitted;
      ticket.ends += world.step;
      world.processes.add(ticket);
      world.record.add(ticket.owner);
      const owner = world.actors[ticket.owner];
      if (owner) [owner.running, owner.queued, owner.waiting] = [owner.running + 1, owner.queued - 1, 0];
    }
    for (const actor of world.actors) {
      actor.points += actor.running;
      actor.waiting = actor.queued > 0 && actor.running === 0 ? actor.waiting + 1 : 0;
      const rent = Math.min(world.balance(actor), actor.running * world.rule('rent_micros'));
      if (world.book.move(actor.account, PLATFORM, rent) === undefined) world.count('rent', rent);
    }
    world.book.move(PLATFORM, OUTSIDE, world.book.balance(PLATFORM));
  },
  sample: (world) => ({
    running: world.processes.size,
    fairness_permille: fairness(world),
    longest_wait: waitsLongest(world)?.waiting ?? 0,
    ended: world.since('ended'),
    rent_micros: world.counted('rent'),
  }),
  /** Of the first worker: slots that it has had, of an equal share. */
  score(world) {
    const share = Math.max(1, Math.floor((Math.min(world.slots, world.actors.length) * world.step) / world.actors.length));
    return Math.min(1000, permille(world.actors[0]?.points ?? 0, share)) * 100;
  },
};

function ended(world: World, owner: number, end: () => void): void {
  end();
  world.count('ended');
  world.record.add(owner);
}

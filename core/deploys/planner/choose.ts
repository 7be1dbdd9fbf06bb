// Which agent does what is needed: the one rule for plans of chat, for composed agents and for teams, with a
// language model and without. Pure.
import type { Risk } from '#contract/states.ts';
import { fitOf } from '../composed/project/fit.ts';
import type { Offer, Offers } from './offers.ts';

export interface Word {
  word: string;
  weight: number;
}

export interface Need {
  words: readonly Word[];
  /** Only these skills. */
  skills?: readonly string[] | undefined;
  /** Also what says none of the words: something else says that it fits. */
  whatever?: boolean;
  /** The arguments as they would be made for it; what is then lacking counts against it. */
  argsFor?: ((offer: Offer) => Readonly<Record<string, unknown>>) | undefined;
  /**
   * A person or a model gives what is lacking. Otherwise a skill that lacks an argument comes after all that
   * do not.
   */
  canAsk: boolean;
  /**
   * Nobody looks at each call before it is made: nothing that destroys, none that does badly, and at a high
   * risk of others only those that are trusted.
   */
  unwatched?: Risk | undefined;
}

export interface Choice {
  found: Offer;
  /** 0 to 1: how well it fits the words. */
  score: number;
  /** 0 to 1: how much of the words it says at all. */
  share: number;
  /** Names of required arguments that nothing gives. */
  lacking: readonly string[];
}

/** Micro-dollars: a call of this price counts as half as cheap as one that costs nothing. */
const HALF_AS_CHEAP = 10_000;
/** So that the rest decides where nothing is said. */
const BASE_SCORE = 0.1;

/**
 * What fits counts most; among what fits alike, first what is surely good of it, then whose it is and what it
 * costs.
 */
const worth = ({ score, found }: Choice): number =>
  (score + BASE_SCORE) * (0.6 + 0.3 * found.known.score.low + (found.mine ? 0.05 : 0) + 0.05 / (1 + found.price_micros / HALF_AS_CHEAP));

const isBad = ({ found }: Choice): boolean => found.known.routing.routing_state === 'degraded';

/** Best first; what does badly or does not answer after all others. What fits not at all is left out. */
export function chooseOffers(offers: Offers, need: Need): Choice[] {
  const columns = need.words.map(({ word, weight }) => ({ weight, found: offers.weightsOf(word) }));
  const choices = offers.all.flatMap((found, at): Choice[] => {
    if (!isAllowed(found, need)) return [];
    const { score, share } = fitOf(columns.map(({ weight, found: weights }) => ({ weight, found: weights[at] ?? 0 })));
    return score === 0 && need.whatever !== true ? [] : [{ found, score, share, lacking: lackingOf(found, need) }];
  });
  const order = (a: Choice, b: Choice): number =>
    Number(isBad(a)) - Number(isBad(b)) ||
    (need.canAsk ? 0 : Math.sign(a.lacking.length) - Math.sign(b.lacking.length)) ||
    worth(b) - worth(a) ||
    a.lacking.length - b.lacking.length ||
    b.found.calls - a.found.calls ||
    (a.found.agent < b.found.agent ? -1 : a.found.agent > b.found.agent ? 1 : 0);
  return choices.toSorted(order);
}

function isAllowed({ known, mine, skill }: Offer, { skills, unwatched }: Need): boolean {
  if (skills && !skills.includes(skill.id)) return false;
  const { routing_state } = known.routing;
  if (unwatched === undefined) return routing_state !== 'blocked';
  if (skill.policy.destructive === true || routing_state === 'blocked' || routing_state === 'degraded') return false;
  return mine || unwatched !== 'high' || routing_state === 'trusted';
}

/** Required, without a default, and not among the arguments that would be made. */
function lackingOf(found: Offer, { argsFor }: Need): string[] {
  const args = argsFor?.(found);
  const { required, properties } = found.skill.input_schema;
  if (!args || !Array.isArray(required)) return [];
  return required.filter((name): name is string => typeof name === 'string' && !Object.hasOwn(args, name) && !hasDefault(properties, name));
}

function hasDefault(properties: unknown, name: string): boolean {
  const member = typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name) ? Reflect.get(properties, name) : undefined;
  return typeof member === 'object' && member !== null && 'default' in member;
}

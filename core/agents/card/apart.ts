// Large cards are signed in a thread: half a megabyte, as long as a card may be, holds it for some hundred
// milliseconds.
import type { A2aCardJson } from '#contract/wire/a2a-card.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { fairThreads } from '../../kernel/fair-threads.ts';
import { signCard, type CardToSign } from './sign.ts';

interface Signed {
  signed: A2aCardJson;
}

const threads = fairThreads<CardToSign, Signed>('The thread that signs cards', new URL('./thread.ts', import.meta.url), {
  threads: 1,
  pieceMs: 10_000,
  waitingOfAccount: 50,
});
export const cardThreadCounts = threads.counts;

/** Milliseconds of the event loop: about one. */
const MAX_HERE = 16_384;

/** @throws Unavailable card_unavailable */
export async function signFairly(owner: string, task: CardToSign): Promise<A2aCardJson> {
  if (JSON.stringify(task.card).length <= MAX_HERE) return signCard(task);
  const answer = await threads.tryAsk(owner, task);
  if (answer === undefined) throw new Unavailable('card_unavailable', 'The card could not be signed just now: ask again in a minute');
  return answer.signed;
}

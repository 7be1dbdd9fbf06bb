// Events of the test server: signed as Stripe signs them, delivered late, twice, out of order, and again
// until they are taken.
import Stripe from 'stripe';
import { made, type Stored } from './state.ts';

export interface StripeEvent {
  id: string;
  type: string;
  created: number;
  /** As it was when the event was made: what is delivered late is old. */
  text: string;
}

export interface Delivery {
  /** How often each event is sent. */
  copies?: number;
  /** From 0 to 1: the part of deliveries that gets lost on the way, and is tried again. */
  lost?: number;
  /** From 0 to 1; default Math.random. */
  random?: () => number;
  inOrder?: boolean;
}

/** Resolves with the status of the answer. */
export type Post = (raw: Buffer, signature: string) => Promise<number>;

export class StripeEvents {
  readonly made: StripeEvent[] = [];
  private waiting: StripeEvent[] = [];
  readonly secret: string;
  private readonly clock: () => number;

  constructor(secret: string, clock: () => number) {
    this.secret = secret;
    this.clock = clock;
  }

  add(type: string, object: Stored | { object: string; id: string }, more: { account?: string } = {}): void {
    const created = Math.floor(this.clock() / 1000);
    const id = made('evt');
    const text = JSON.stringify({ id, object: 'event', type, created, livemode: false, api_version: '2026-10-28.endive', data: { object }, ...more });
    const event = { id, type, created, text };
    this.made.push(event);
    this.waiting.push(event);
  }

  signed(event: StripeEvent, { secret = this.secret, at = this.clock() }: { secret?: string; at?: number } = {}): { raw: Buffer; signature: string } {
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: event.text, secret, timestamp: Math.floor(at / 1000) });
    return { raw: Buffer.from(event.text), signature };
  }

  /** Sends what waits until all of it was answered with 2xx. */
  async deliver(post: Post, { copies = 1, lost = 0, random = Math.random, inOrder = false }: Delivery = {}): Promise<void> {
    let left = this.waiting.flatMap((event) => Array.from({ length: copies }, () => event));
    this.waiting = [];
    for (let round = 0; left.length > 0; round += 1) {
      if (round > 100) throw new Error(`${left.length} events are never taken`);
      if (!inOrder) left = shuffled(left, random);
      const again: StripeEvent[] = [];
      for (const event of left) {
        if (random() < lost) again.push(event);
        else if (!isTaken(await this.post(post, event))) again.push(event);
      }
      left = again;
    }
  }

  /** Everything that ever happened, again. */
  replayAll(): void {
    this.waiting = [...this.made];
  }

  private async post(post: Post, event: StripeEvent): Promise<number> {
    const { raw, signature } = this.signed(event);
    return post(raw, signature);
  }
}

function isTaken(status: number): boolean {
  return status >= 200 && status < 300;
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((one) => [random(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one);
}

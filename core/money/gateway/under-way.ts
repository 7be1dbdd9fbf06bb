// A use of a model from its reservation to its settlement.
import type { ModelUsage } from '#drivers/llm/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { type Reserved, settleUsage } from '../llm/meter.ts';
import { costMicros, likelyTokens, type Price } from '../llm/price.ts';
import type { UsageTally } from './relay.ts';

/** Of what a model thinks before it speaks. */
const TOKENS_A_SECOND = 100;

interface About {
  reserved: Reserved;
  price: Price | undefined;
  /** Tokens of the request, and the most that the answer may have. */
  asked: number;
  most: number;
  /** Else the answer comes whole, and may have been made when it was given up. */
  streams: boolean;
}

/** A reserved use until it is settled, once. */
export class UnderWay {
  readonly tally: UsageTally;
  readonly #ctx: Ctx;
  readonly #about: About;
  readonly #began: number;
  #settled = false;

  constructor(ctx: Ctx, { tally, ...about }: About & { tally: UsageTally }) {
    this.#ctx = ctx;
    this.tally = tally;
    this.#about = about;
    this.#began = performance.now();
  }

  /** The endpoint refused it: that costs nothing. */
  refused(errorCode: string): Promise<void> {
    return this.#settle('failed', errorCode, { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }, false);
  }

  /** What the endpoint did not count is counted from the texts. */
  ended(state: 'ok' | 'failed' | 'cancelled', errorCode: string | null = null): Promise<void> {
    const { usage, said } = this.tally;
    const spoken = Math.max(likelyTokens(said), state === 'cancelled' ? this.#unheard() : 0);
    if (usage && (state === 'ok' || usage.outputTokens >= spoken)) return this.#settle(state, errorCode, usage, false);
    const guess = { inputTokens: this.#about.asked, cachedInputTokens: 0, cacheWriteTokens: 0, ...usage, outputTokens: spoken };
    return this.#settle(state, errorCode, guess, true);
  }

  /** Who always leaves before the first word would spend as much as they like, and nothing would say so. */
  #unheard(): number {
    const { most, streams } = this.#about;
    if (!streams) return most;
    const thought = Math.ceil(((performance.now() - this.#began) / 1000) * TOKENS_A_SECOND);
    return this.tally.said > 0 ? 0 : Math.min(most, thought);
  }

  async #settle(state: 'ok' | 'failed' | 'cancelled', errorCode: string | null, usage: ModelUsage, estimated: boolean): Promise<void> {
    if (this.#settled) return;
    this.#settled = true;
    const { reserved, price } = this.#about;
    await settleUsage(this.#ctx, reserved, { state, errorCode, usage, estimated, costMicros: price === undefined ? null : costMicros(price, usage) });
  }
}

// A use of a model from its reservation to its settlement.
import type { ModelUsage } from '#drivers/llm/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { type Reserved, settle } from '../llm/meter.ts';
import { costMicros, likelyTokens, type Price } from '../llm/price.ts';
import type { Tally } from './relay.ts';

/** A reserved use until it is settled, once. */
export class UnderWay {
  readonly tally: Tally;
  readonly #ctx: Ctx;
  readonly #about: { reserved: Reserved; price: Price | undefined; asked: number };
  #settled = false;

  constructor(ctx: Ctx, { tally, ...about }: { reserved: Reserved; price: Price | undefined; tally: Tally; asked: number }) {
    this.#ctx = ctx;
    this.tally = tally;
    this.#about = about;
  }

  /** The endpoint refused it: that costs nothing. */
  refused(errorCode: string): Promise<void> {
    return this.#settle('failed', errorCode, { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }, false);
  }

  /** What the endpoint did not count is counted from the texts. */
  ended(state: 'ok' | 'failed' | 'cancelled', errorCode: string | null = null): Promise<void> {
    const { usage, said } = this.tally;
    const spoken = likelyTokens(said);
    if (usage && (state === 'ok' || usage.outputTokens >= spoken)) return this.#settle(state, errorCode, usage, false);
    const guess = { inputTokens: this.#about.asked, cachedInputTokens: 0, cacheWriteTokens: 0, ...usage, outputTokens: spoken };
    return this.#settle(state, errorCode, guess, true);
  }

  async #settle(state: 'ok' | 'failed' | 'cancelled', errorCode: string | null, usage: ModelUsage, estimated: boolean): Promise<void> {
    if (this.#settled) return;
    this.#settled = true;
    const { reserved, price } = this.#about;
    await settle(this.#ctx, reserved, { state, errorCode, usage, estimated, costMicros: price === undefined ? null : costMicros(price, usage) });
  }
}

// An agent's card as the task protocol's clients read it (A2A), signed by the platform: JWS over its
// canonical form (A2A 8.4, RFC 8785). The official package signs: what is canonical depends on which members
// of the protocol's messages are at their default.
import { CARD_KEYS_PATH, type A2aCardJson, type A2aCardOptions } from '#contract/wire/a2a-card.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { schemaWork } from '../../kernel/schema-work/ask.ts';
import { signFairly } from './apart.ts';
import { cardKey } from './keys.ts';

/**
 * @param legacy for clients that may be of 0.3
 * @param owner whose agent it is: reading its schemas takes of their budget
 * @throws Unavailable card_unavailable
 */
export async function signedCard(
  ctx: Pick<Ctx, 'drivers' | 'clock'>,
  owner: string,
  card: AgentCard,
  options: A2aCardOptions & { legacy: boolean },
): Promise<A2aCardJson> {
  const key = await cardKey(ctx.drivers.vault, ctx.clock());
  // Examples come from schemas; a card whose schemas take too long shows none.
  const made = (await schemaWork(owner, 'a2aCard', { card, options }))?.value;
  // At the agent's own address, which the agent cannot answer for: who trusts the address can verify.
  return signFairly(owner, { card, made, options, key, jku: `${options.baseUrl}${CARD_KEYS_PATH}` });
}

// An agent's card as the task protocol's clients read it (A2A), signed by the platform: JWS over its canonical form (A2A 8.4, RFC 8785).
// The official package signs: what is canonical depends on which members of the protocol's messages are at their default.
import { generateAgentCardSignature, type AgentCard as Wire } from '@a2a-js/sdk';
import { a2aCard, CARD_KEYS_PATH, withLegacy, type A2aCardJson, type A2aCardOptions } from '#contract/wire/a2a-card.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { schemaWork } from '../../kernel/schema-work/ask.ts';
import { cardKey } from './keys.ts';

/** @param legacy for clients that may be of 0.3 */
/** @param owner whose agent it is: reading its schemas takes of their budget */
export async function signedCard(
  ctx: Pick<Ctx, 'drivers' | 'clock'>,
  owner: string,
  card: AgentCard,
  options: A2aCardOptions & { legacy: boolean },
): Promise<A2aCardJson> {
  const { publicJwk, d } = await cardKey(ctx.drivers.vault, ctx.clock());
  // At the agent's own address, which the agent cannot answer for: who trusts the address can verify.
  const jku = `${options.baseUrl}${CARD_KEYS_PATH}`;
  const sign = generateAgentCardSignature({ ...publicJwk, d }, { alg: publicJwk.alg, typ: 'JOSE', kid: publicJwk.kid, jku });
  // Examples come from schemas; a card whose schemas take too long shows none.
  const plain = (await schemaWork(owner, 'a2aCard', { card, options }))?.value ?? a2aCard(card, { ...options, examples: false });
  // Its JSON is what the function reads; made a typed card, it would lose the security schemes and sign another document.
  const { signatures } = await sign(plain as unknown as Wire);
  const current = { ...plain, signatures: signatures.map(({ protected: header, signature }) => ({ protected: header, signature })) };
  return options.legacy ? withLegacy(card, options, current) : current;
}

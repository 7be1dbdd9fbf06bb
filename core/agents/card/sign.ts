// The signature of a card over its canonical form, and with it the whole card. What is canonical is the
// package's work, and linear in the card's length.
import { generateAgentCardSignature, type AgentCard as Wire } from '@a2a-js/sdk';
import { a2aCard, withLegacy, type A2aCardJson, type A2aCardOptions } from '#contract/wire/a2a-card.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import type { CardKey } from './keys.ts';

export interface CardToSign {
  card: AgentCard;
  /** It in the protocol's form; undefined: it is made here, without examples. */
  made: A2aCardJson | undefined;
  options: A2aCardOptions & { legacy: boolean };
  key: CardKey;
  /** Where the key is published. */
  jku: string;
}

export async function signCard({ card, made, options, key: { publicJwk, d }, jku }: CardToSign): Promise<A2aCardJson> {
  const plain = made ?? a2aCard(card, { ...options, examples: false });
  const sign = generateAgentCardSignature({ ...publicJwk, d }, { alg: publicJwk.alg, typ: 'JOSE', kid: publicJwk.kid, jku });
  // Its JSON is what the function reads; made a typed card, it would lose the security schemes and sign
  // another document.
  const { signatures } = await sign(plain as unknown as Wire);
  const current = { ...plain, signatures: signatures.map(({ protected: header, signature }) => ({ protected: header, signature })) };
  return options.legacy ? withLegacy(card, options, current) : current;
}

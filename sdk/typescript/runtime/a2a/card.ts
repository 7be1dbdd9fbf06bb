// The agent's card as the protocol's clients read it: of this generation and the last.
import type { IncomingHttpHeaders } from 'node:http';
import { AgentCard as Wire, type AgentCard as A2aCard } from '@a2a-js/sdk';
import { a2aCard, withLegacy, type A2aCardJson, type A2aCardOptions } from '../../../../contract/wire/a2a-card.ts';
import type { AgentCard } from '../../../../contract/wire/card.ts';
import { versionOf } from './caller.ts';
import { isLegacy } from './rpc.ts';

export function coreCard(card: AgentCard, options: A2aCardOptions): A2aCard {
  return Wire.fromJSON(a2aCard(card, options));
}

/** A client that names no version may be of either generation: it finds what each looks for. */
export function cardFor(headers: IncomingHttpHeaders, card: AgentCard, options: A2aCardOptions): A2aCardJson {
  const current = a2aCard(card, options);
  return isLegacy(versionOf(headers)) ? withLegacy(card, options, current) : current;
}

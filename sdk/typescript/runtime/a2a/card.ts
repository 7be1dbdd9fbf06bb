// The agent's card as the protocol's clients read it: of this generation and the last.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AgentCard as Wire, type AgentCard as A2aCard } from '@a2a-js/sdk';
import { a2aCard, type A2aCardOptions } from '../../../../contract/wire/a2a-card.ts';
import type { AgentCard } from '../../../../contract/wire/card.ts';
import { versionOf } from './caller.ts';
import { legacyCard } from './legacy-rest.ts';
import { isLegacy } from './rpc.ts';

export function coreCard(card: AgentCard, options: A2aCardOptions): A2aCard {
  return Wire.fromJSON(a2aCard(card, options));
}

/** A client that names no version may be of either generation: it finds what each looks for. */
export async function cardFor(headers: IncomingHttpHeaders, card: AgentCard, options: A2aCardOptions): Promise<Record<string, unknown>> {
  const current = a2aCard(card, options);
  if (!isLegacy(versionOf(headers))) return current;
  return { ...current, ...(await legacyCard(Wire.fromJSON(current))) };
}

const SINCE = new Date().toUTCString();

/** The answer to a request for a document that may be kept for a minute. */
export function cacheable(headers: IncomingHttpHeaders, body: string): { status: 200 | 304; headers: Record<string, string> } {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const known = headers['if-none-match']?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*') ?? false;
  return { status: known ? 304 : 200, headers: { etag, 'cache-control': 'max-age=60', vary: 'a2a-version', 'last-modified': SINCE } };
}

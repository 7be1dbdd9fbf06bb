// What is at an address: a card of A2A where the protocol puts it, else an MCP server, at the address itself
// or below /mcp.
import { a2aCardOf, withOurSkills } from './a2a-card.ts';
import { discoverMcp } from './mcp.ts';
import type { Network } from './network.ts';
import { type Place, type RemoteCard, RemoteFault } from './port.ts';
import { type Read, readDocument } from './read.ts';
import { challengedFor } from './security.ts';

const CARD_PATHS = ['.well-known/agent-card.json', '.well-known/agent.json'];
const OUR_CARD_PATH = '.well-known/agent-card';

/** Needs credentials to be read at all; the requirement as its server states it. */
class CardRefused extends RemoteFault {
  readonly requirements;
  constructor(url: string, status: number, challenge: string | undefined) {
    super('auth_required', `${new URL(url).origin} answers ${status} without accepted credentials: give the agent's API key or token`);
    this.requirements = challengedFor(challenge);
  }
}

/** @throws RemoteFault */
export async function discover(network: Network, place: Place): Promise<RemoteCard> {
  const tried: string[] = [];
  let refused: Read | undefined;
  const at = new URL(place.url);
  const isMcp = /\/mcp\/?$/.test(at.pathname);
  if (!isMcp) {
    for (const url of cardAddresses(at)) {
      const read = await readDocument(network, place, url);
      tried.push(`${url}: ${read.status}`);
      if (read.status === 401 || read.status === 403) refused ??= read;
      if (read.status !== 200) continue;
      const card = a2aCardOf(read.value, read.url);
      if (card) return pinned(place, await asOurs(network, place, card, read.url));
      tried[tried.length - 1] = `${url}: not a card of A2A`;
    }
  }
  for (const url of isMcp || at.pathname !== '/' ? [at.href] : [new URL('mcp', at).href, at.href]) {
    try {
      return await discoverMcp(network, { ...place, url });
    } catch (error) {
      if (!(error instanceof RemoteFault) || error.code === 'remote_card_invalid' || error.code === 'remote_too_large') throw error;
      if (error.code === 'auth_required') refused ??= { status: 401, value: undefined, url, challenge: undefined };
      tried.push(`${url} (MCP): ${error.message}`);
      if (error.code === 'remote_address_refused' || error.code === 'remote_timeout') throw error;
    }
  }
  if (refused) throw new CardRefused(refused.url, refused.status, refused.challenge);
  throw new RemoteFault('remote_not_an_agent', `No agent was found at ${at.origin}${at.pathname}. Tried ${tried.join('; ')}`);
}

/** A card itself; else the places below the address, then those of its host. */
function cardAddresses(at: URL): string[] {
  if (at.pathname.endsWith('.json')) return [at.href];
  const below = new URL(at.pathname.endsWith('/') ? at.pathname : `${at.pathname}/`, at);
  return [...new Set([below, new URL('/', at)].flatMap((base) => CARD_PATHS.map((path) => new URL(path, base).href)))];
}

/** An agent of ours says more of its skills than A2A has room for. */
async function asOurs(network: Network, place: Place, card: RemoteCard, foundAt: string): Promise<RemoteCard> {
  const read = await readDocument(network, place, new URL(`/${OUR_CARD_PATH}`, foundAt).href).catch(() => undefined);
  return (read?.status === 200 ? withOurSkills(card, read.value) : undefined) ?? card;
}

/**
 * Calls go, with credentials, to the origin that the importer named; a card that sends them elsewhere has to
 * be named there.
 */
function pinned(place: Place, card: RemoteCard): RemoteCard {
  const [named, says] = [new URL(place.url).origin, new URL(card.endpoint).origin];
  if (named === says) return card;
  throw new RemoteFault('remote_card_invalid', `The card at ${named} sends calls to ${says}: import the agent from ${says} if you trust that address`);
}

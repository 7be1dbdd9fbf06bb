// Clients without a registration: their id is the address of a document that describes them (OAuth Client ID
// Metadata Document). oidc-provider reads https addresses itself, through `fetch`; plain http is for hosts of
// this installation that its operator named.
import type { ClientMetadata } from 'oidc-provider';
import { z } from 'zod';
import { isLocalHost, portOf, type LocalHosts } from '../llm/address.ts';
import { outboundFetch } from '../llm/outbound.ts';

export interface ClientDocumentOptions {
  /**
   * `host` or `host:port` of this installation whose documents are read, over plain http too. Default: none.
   */
  localHosts?: LocalHosts | undefined;
  /** Certificate authorities beside the system's own. */
  ca?: string | undefined;
}

export interface ClientDocuments {
  /** Never into this network, never along a redirect, never long. */
  fetch: typeof fetch;
  /** The client of a plain http address; undefined: this installation reads none there. */
  find(clientId: string): Promise<ClientMetadata | undefined>;
}

/** As the provider has it for https. */
const MAX_BYTES = 5 * 1024;
const PATIENCE_MS = 2_500;

const Document = z.looseObject({ client_id: z.string(), redirect_uris: z.array(z.string()).min(1), token_endpoint_auth_method: z.literal('none').optional() });

export function clientDocuments({ localHosts = [], ca }: ClientDocumentOptions): ClientDocuments {
  const outbound = outboundFetch({ localHosts, connectMs: PATIENCE_MS, silenceMs: PATIENCE_MS, maxBytes: MAX_BYTES, ...(ca === undefined ? {} : { ca }) });
  const read: typeof fetch = async (input, init) => {
    const response = await outbound.fetch(input, init);
    if (response.status !== 200) return response;
    return new Response(asReadHere(await response.text()), { headers: response.headers });
  };
  return {
    fetch: read,
    async find(clientId) {
      const url = URL.parse(clientId);
      if (url?.protocol !== 'http:' || url.href !== clientId || !isLocalHost(localHosts, url.hostname, portOf(url))) return undefined;
      const response = await read(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
      const document = Document.safeParse(response?.status === 200 ? parsed(await response.text()) : undefined);
      if (!document.success || document.data.client_id !== clientId || 'client_secret' in document.data) return undefined;
      return document.data;
    },
  };
}

/**
 * The scopes a client may name are ours to say; and a program that comes back to its own machine may do so at
 * any port (RFC 8252).
 */
function asReadHere(text: string): string {
  const document = z.looseObject({ redirect_uris: z.array(z.unknown()) }).safeParse(parsed(text));
  if (!document.success) return text;
  const { scope: _scope, ...rest } = document.data;
  const native = rest.redirect_uris.some(isLoopback) ? { application_type: 'native' } : {};
  return JSON.stringify({ ...native, ...rest });
}

export function isLoopback(address: unknown): boolean {
  const url = URL.parse(String(address));
  return url?.protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

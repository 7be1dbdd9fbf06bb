// A connection in two halves: facts that may be shown, and what is sealed.
import { z } from 'zod';
import type { AgentAuthIn } from '#contract/imports/agent-auth.ts';
import type { AgentConnectionsRow } from '#db/tables.ts';
import type { Credential } from '#drivers/remote-agent/port.ts';

const Facts = z.object({
  location: z.enum(['header', 'query']).nullable(),
  name: z.string().nullable(),
  scheme: z.string().nullable(),
  token_url: z.string().nullable(),
  client_id: z.string().nullable(),
  refreshes: z.boolean(),
});
export type ConnectionFacts = z.infer<typeof Facts>;

const Secret = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('api_key'), value: z.string() }),
  z.object({ kind: z.literal('bearer'), token: z.string() }),
  z.object({ kind: z.literal('mtls'), cert: z.string(), key: z.string(), ca: z.string().nullable() }),
  z.object({
    kind: z.literal('tokens'),
    access_token: z.string(),
    refresh_token: z.string().nullable(),
    client_secret: z.string().nullable(),
  }),
]);
export type ConnectionSecret = z.infer<typeof Secret>;

// What the platform itself wrote.
export const connectionFacts = ({ facts }: Pick<AgentConnectionsRow, 'facts'>): ConnectionFacts => Facts.parse(facts);
export const openedAs = (bytes: Uint8Array): ConnectionSecret => Secret.parse(JSON.parse(Buffer.from(bytes).toString()));

const NONE: ConnectionFacts = { location: null, name: null, scheme: null, token_url: null, client_id: null, refreshes: false };

export function splitAuth(i: AgentAuthIn): { facts: ConnectionFacts; sealed: ConnectionSecret } {
  switch (i.kind) {
    case 'api_key':
      return { facts: { ...NONE, location: i.location, name: i.name }, sealed: { kind: 'api_key', value: i.value } };
    case 'bearer':
      return { facts: { ...NONE, scheme: i.scheme }, sealed: { kind: 'bearer', token: i.token } };
    case 'mtls':
      return { facts: NONE, sealed: { kind: 'mtls', cert: i.cert, key: i.key, ca: i.ca } };
    case 'oauth2':
    case 'oidc': {
      const { access_token, refresh_token = null, token_url = null, client_id = null, client_secret = null } = i;
      const refreshes = refresh_token !== null && token_url !== null;
      return {
        facts: { ...NONE, scheme: 'Bearer', token_url, client_id, refreshes },
        sealed: { kind: 'tokens', access_token, refresh_token, client_secret },
      };
    }
  }
}

export function connectionCredential(facts: ConnectionFacts, sealed: ConnectionSecret): Credential {
  switch (sealed.kind) {
    case 'api_key':
      return { kind: 'api_key', location: facts.location ?? 'header', name: facts.name ?? '', value: sealed.value };
    case 'bearer':
      return { kind: 'bearer', scheme: facts.scheme ?? 'Bearer', token: sealed.token };
    case 'mtls':
      return { kind: 'mtls', cert: sealed.cert, key: sealed.key, ca: sealed.ca };
    case 'tokens':
      return { kind: 'bearer', scheme: 'Bearer', token: sealed.access_token };
  }
}

// What a card says its agent accepts as proof of who calls (A2A's securitySchemes, as OpenAPI has them).
import type { AgentCard } from '@a2a-js/sdk';
import { cut } from './names.ts';
import type { Requirement } from './port.ts';

const MAX_SCHEMES = 32;

type Scheme = NonNullable<AgentCard['securitySchemes'][string]['scheme']>;

/** Those that the card requires; where it only lists them, all. */
export function requirementsOf(card: AgentCard): Requirement[] {
  const required = new Set(card.securityRequirements.flatMap(({ schemes }) => Object.keys(schemes)));
  return Object.entries(card.securitySchemes)
    .filter(([name]) => required.size === 0 || required.has(name))
    .slice(0, MAX_SCHEMES)
    .flatMap(([name, { scheme }]) => (scheme ? [requirementOf(cut(name, 128), scheme)] : []));
}

function requirementOf(scheme_name: string, { $case, value }: Scheme): Requirement {
  const description = cut(value.description, 500);
  const none = { scheme_name, kind: null, location: null, name: null, scheme: null, token_url: null, description };
  switch ($case) {
    case 'apiKeySecurityScheme': {
      const { location, name } = value;
      const kind = location === 'header' || location === 'query' ? 'api_key' : null;
      return { ...none, kind, location, name };
    }
    case 'httpAuthSecurityScheme':
      return { ...none, kind: 'bearer', scheme: value.scheme };
    case 'oauth2SecurityScheme': {
      const flow = value.flows?.flow?.value;
      return { ...none, kind: 'oauth2', token_url: flow && 'tokenUrl' in flow ? flow.tokenUrl : null };
    }
    case 'openIdConnectSecurityScheme':
      return { ...none, kind: 'oidc' };
    case 'mtlsSecurityScheme':
      return { ...none, kind: 'mtls' };
  }
}

/** Of an agent without a card: what the answer 401 says (RFC 9110, 11.6.1). */
export function challengedFor(challenge: string | undefined): Requirement[] {
  const scheme = /^\s*([A-Za-z][\w-]*)/.exec(challenge ?? '')?.[1];
  if (scheme === undefined) return [];
  const description = 'Asked for when the agent was reached without credentials.';
  return [{ scheme_name: scheme.toLowerCase(), kind: 'bearer', location: null, name: null, scheme, token_url: null, description }];
}

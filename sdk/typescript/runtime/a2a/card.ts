// Our card as the protocol's. https://a2a-protocol.org, "Agent Card".
import { AgentCard as Wire, type AgentCard as A2aCard } from '@a2a-js/sdk';
import type { AgentCard } from '../../../../contract/wire/card.ts';

const VERSIONS = ['1.0', '0.3'] as const;

export interface CardOptions {
  baseUrl: string;
  push: boolean;
  /** Callers need a bearer token, as far as the agent itself knows. */
  bearer: boolean;
}

export function a2aCard(card: AgentCard, { baseUrl, push, bearer }: CardOptions): A2aCard {
  const modes = (own: readonly string[]): string[] => (own.length > 0 ? [...own] : ['application/json', 'text/plain']);
  const required = bearer ? [{ schemes: { bearer: { list: [] } } }] : [];
  return {
    name: card.name,
    description: card.description,
    version: card.version,
    provider: undefined,
    supportedInterfaces: VERSIONS.flatMap((protocolVersion) => [
      { url: `${baseUrl}/a2a`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion },
      { url: baseUrl, protocolBinding: 'HTTP+JSON', tenant: '', protocolVersion },
    ]),
    capabilities: { streaming: true, pushNotifications: push, extendedAgentCard: false, extensions: [] },
    securitySchemes: { bearer: { scheme: { $case: 'httpAuthSecurityScheme', value: { description: '', scheme: 'Bearer', bearerFormat: '' } } } },
    securityRequirements: required,
    defaultInputModes: modes(card.input_modes),
    defaultOutputModes: modes(card.output_modes),
    skills: card.skills.map((skill) => ({
      id: skill.id,
      name: skill.name,
      description: skill.description || skill.name,
      tags: [...skill.tags],
      examples: [`@${skill.id} {}`],
      inputModes: [],
      outputModes: [],
      securityRequirements: skill.scopes.length > 0 ? [{ schemes: { bearer: { list: [...skill.scopes] } } }] : [],
    })),
    signatures: [],
  };
}

/** The card's interfaces as both generations of clients read them. */
export function wireCard(card: A2aCard): Record<string, unknown> {
  // The codec's result is a JSON object; its type says unknown.
  return Wire.toJSON(card) as Record<string, unknown>;
}

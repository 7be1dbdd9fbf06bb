// An A2A card (1.0 or 0.3) as ours: skills that take text and data, since the protocol knows no schemas;
// those of an agent of ours have its own.
import { AgentCard } from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { AgentCard as OurCard } from '#contract/wire/card.ts';
import { cut, skillNames, versionOf } from './names.ts';
import { type RemoteCard, RemoteFault, type RemoteSkill } from './port.ts';
import { REMOTE_ANSWER_SCHEMA } from './answer.ts';
import { checkedInputSchema, checkedSchema } from './schemas.ts';
import { requirementsOf } from './security.ts';
import { list, record, text } from './text.ts';

export const MAX_SKILLS = 256;
const MAX_TEXT = 4_000;
/** Those that the official client speaks without gRPC. */
const BINDINGS = ['JSONRPC', 'HTTP+JSON'];

const TAKES_MESSAGE: Record<string, unknown> = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'What to say to the agent.' },
    data: { type: 'object', additionalProperties: true, description: 'What to hand it as JSON.' },
  },
  required: [],
  additionalProperties: false,
};

/** Undefined: it is no card of the protocol. @throws RemoteFault remote_card_invalid */
export function a2aCardOf(value: unknown, foundAt: string): RemoteCard | undefined {
  const read = normalized(value);
  if (!read) return undefined;
  const spoken = read.supportedInterfaces.filter(({ protocolBinding }) => BINDINGS.includes(protocolBinding));
  const [chosen] = spoken;
  if (!chosen) {
    const offered = read.supportedInterfaces.map(({ protocolBinding }) => cut(protocolBinding, 40));
    throw invalid(`The card names no interface that is spoken here (${BINDINGS.join(', ')}); it names ${offered.join(', ') || 'none'}`);
  }
  const endpoint = URL.parse(chosen.url, foundAt);
  if (!endpoint) throw invalid(`The card's address "${cut(chosen.url, 200)}" is not a URL`);
  if (read.skills.length === 0) throw invalid('The card lists no skills: there is nothing to call');
  if (read.skills.length > MAX_SKILLS) throw invalid(`The card lists ${read.skills.length} skills; the most is ${MAX_SKILLS}`);
  const ids = skillNames(read.skills.map(({ id, name }) => id || name));
  return {
    protocol: 'a2a',
    protocol_version: chosen.protocolVersion || '1.0',
    endpoint: endpoint.href,
    name: cut(read.name, 200),
    description: cut(read.description, MAX_TEXT),
    version: versionOf(read.version),
    skills: read.skills.map((skill, at): RemoteSkill => ({
      id: ids[at] ?? '',
      remote: skill.id || skill.name,
      name: cut(skill.name || skill.id, 200),
      description: cut(skill.description, MAX_TEXT),
      tags: skill.tags.slice(0, 32).map((tag) => cut(tag, 64)),
      // Callers get JSON, or what it says while it works when they ask for events.
      stream: false,
      typed: false,
      input_schema: TAKES_MESSAGE,
      output_schema: REMOTE_ANSWER_SCHEMA,
    })),
    security: requirementsOf(read),
    // Only what a call needs: what the card says at length of itself is in ours.
    source: { ...shown(read), supportedInterfaces: [{ ...chosen, url: endpoint.href }], skills: [], signatures: [] },
  };
}

/**
 * The card of an agent of ours, at another installation: its A2A interface, its own skills with their
 * schemas.
 */
export function withOurSkills(card: RemoteCard, value: unknown): RemoteCard | undefined {
  const read = OurCard.safeParse(value);
  if (!read.success || read.data.skills.length === 0 || read.data.skills.length > MAX_SKILLS) return undefined;
  const named = new Set(card.skills.map(({ remote }) => remote));
  // Both documents describe the same agent.
  if (!read.data.skills.every(({ id }) => named.has(id))) return undefined;
  return {
    ...card,
    protocol: 'svc',
    version: read.data.version,
    skills: read.data.skills.map((skill) => ({
      id: skill.id,
      remote: skill.id,
      name: cut(skill.name, 200),
      description: cut(skill.description, MAX_TEXT),
      tags: skill.tags.slice(0, 32).map((tag) => cut(tag, 64)),
      stream: skill.stream,
      typed: true,
      input_schema: checkedInputSchema(skill.input_schema, `The input schema of ${skill.id}`),
      output_schema: checkedSchema(skill.output_schema, `The output schema of ${skill.id}`),
    })),
  };
}

/** For a client of the protocol. */
export function wireCard(source: unknown): AgentCard {
  return AgentCard.fromJSON(source);
}

function normalized(value: unknown): AgentCard | undefined {
  const { supportedInterfaces, url, skills, name } = record(value);
  if (text(name) === undefined || !Array.isArray(skills)) return undefined;
  if (!Array.isArray(supportedInterfaces) && text(url) === undefined) return undefined;
  try {
    if (list(supportedInterfaces).length > 0) return AgentCard.fromJSON(value);
    const older: unknown = new DefaultAgentCardResolver({ legacyCompat: { enabled: true } }).normalizeAgentCard(value);
    return AgentCard.fromJSON(AgentCard.toJSON(asCard(older)));
  } catch (error) {
    throw invalid(`The card cannot be read as one of A2A: ${error instanceof Error ? cut(error.message, 200) : 'it is malformed'}`);
  }
}

// Safe: the resolver makes one of an older card or throws; the codec that reads it next takes any object.
function asCard(value: unknown): AgentCard {
  return value as AgentCard;
}

function shown(card: AgentCard): object {
  return record(AgentCard.toJSON(card));
}

function invalid(message: string): RemoteFault {
  return new RemoteFault('remote_card_invalid', message);
}

// Reads the members of an event's payload: what another program wrote has the form it says only if we look.
// Pure.
import type { Waiting } from '../../pauses/wait/wait-card.tsx';

export type Payload = Record<string, unknown>;

export interface Fault {
  code: string;
  message: string;
}

export interface Artifact {
  name: string;
  uri: string;
  mime_type: string;
  size_bytes: number;
}

/** A skill that may be meant, with the form of its arguments. */
export interface Candidate {
  agent: string;
  skill: string;
  title: string;
  description: string;
  mine: boolean;
  schema: Record<string, unknown>;
  args: Record<string, unknown>;
  missing: string[];
}

export function text(payload: Payload, name: string): string | undefined {
  const value = payload[name];
  return typeof value === 'string' ? value : undefined;
}

export function number(payload: Payload, name: string): number | undefined {
  const value = payload[name];
  return typeof value === 'number' ? value : undefined;
}

export function record(value: unknown): Payload | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function fault(value: unknown): Fault | undefined {
  const { code, message } = record(value) ?? {};
  return typeof message === 'string' ? { code: typeof code === 'string' ? code : 'unknown', message } : undefined;
}

export function artifact(payload: Payload): Artifact | undefined {
  const [name, uri, mime, size] = [text(payload, 'name'), text(payload, 'uri'), text(payload, 'mime_type'), number(payload, 'size_bytes')];
  return name !== undefined && uri !== undefined ? { name, uri, mime_type: mime ?? 'application/octet-stream', size_bytes: size ?? 0 } : undefined;
}

export function candidate(value: unknown): Candidate | undefined {
  const of = record(value);
  const [agent, skill] = [text(of ?? {}, 'agent'), text(of ?? {}, 'skill')];
  if (!of || agent === undefined || skill === undefined) return undefined;
  return {
    agent,
    skill,
    title: text(of, 'title') ?? skill,
    description: text(of, 'description') ?? '',
    mine: of['mine'] === true,
    schema: record(of['schema']) ?? {},
    args: record(of['args']) ?? {},
    missing: list(of['missing']).filter((one): one is string => typeof one === 'string'),
  };
}

const KINDS: readonly string[] = ['question', 'input_request', 'handoff_approval', 'scope_request'] satisfies Waiting['kind'][];

export function waiting(payload: Payload): Waiting | undefined {
  const [wait_id, kind, expires_at] = [text(payload, 'wait_id'), text(payload, 'kind'), text(payload, 'expires_at')];
  if (wait_id === undefined || !isKind(kind) || expires_at === undefined) return undefined;
  const [schema, request] = [record(payload['schema']), record(payload['request'])];
  const choices = list(payload['choices']).filter((one): one is string => typeof one === 'string');
  return {
    wait_id,
    kind,
    expires_at,
    prompt: text(payload, 'prompt') ?? '',
    agent: text(payload, 'agent') ?? '',
    skill: text(payload, 'skill') ?? '',
    run_id: text(payload, 'run_id') ?? null,
    ...(schema && { schema }),
    ...(request && { request }),
    ...(choices.length > 0 && { choices }),
  };
}

function isKind(kind: string | undefined): kind is Waiting['kind'] {
  return kind !== undefined && KINDS.includes(kind);
}

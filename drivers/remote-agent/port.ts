// Agents that run elsewhere: what one says of itself, and a call of one of its skills. One adapter for each
// protocol stands behind this port.
import { z } from 'zod';
import type { CodesAmong } from '#contract/errors/index.ts';
import { CONNECTION_KINDS, IMPORT_PROTOCOLS } from '#contract/states.ts';

/**
 * What an agent accepts as proof of who calls, by its card. `kind` null: of a kind that is not sent from
 * here.
 */
export const Requirement = z.object({
  scheme_name: z.string(),
  kind: z.enum(CONNECTION_KINDS).nullable(),
  /** Of an API key. */
  location: z.string().nullable(),
  name: z.string().nullable(),
  /** Of HTTP authentication. */
  scheme: z.string().nullable(),
  /** Where its tokens are issued, as far as the card says. */
  token_url: z.string().nullable(),
  description: z.string(),
});
export type Requirement = z.infer<typeof Requirement>;

/** One skill: `id` by our rules, `remote` as the agent itself names it. */
export const RemoteSkill = z.object({
  id: z.string(),
  remote: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  stream: z.boolean(),
  /** Its results are as its own schema says; else in the one shape for answers without a schema (said.ts). */
  typed: z.boolean(),
  input_schema: z.record(z.string(), z.unknown()),
  output_schema: z.record(z.string(), z.unknown()),
});
export type RemoteSkill = z.infer<typeof RemoteSkill>;

/** What is at an address. */
export const RemoteCard = z.object({
  protocol: z.enum(IMPORT_PROTOCOLS),
  protocol_version: z.string(),
  /** Where calls go; its origin is where credentials may go. */
  endpoint: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  skills: z.array(RemoteSkill),
  security: z.array(Requirement),
  /** Its own document, as far as a call needs it. */
  source: z.unknown(),
});
export type RemoteCard = z.infer<typeof RemoteCard>;

/** What a request shows, opened. Never written to a log. */
export type Credential =
  | { kind: 'api_key'; location: 'header' | 'query'; name: string; value: string }
  | { kind: 'bearer'; scheme: string; token: string }
  | { kind: 'mtls'; cert: string; key: string; ca: string | null };

export interface Credentials {
  current(): Promise<readonly Credential[]>;
  /** After a refusal (401): newer ones, where there can be any. `refused`: what was sent. */
  renewed?(refused: readonly Credential[]): Promise<readonly Credential[] | undefined>;
}

export const NO_CREDENTIALS: Credentials = { current: () => Promise.resolve([]) };

export interface Place {
  /** http or https, judged at each connection. */
  url: string;
  credentials: Credentials;
  signal: AbortSignal;
}

/** What a call says while it works, and asks. */
export interface Listener {
  progress(message: string, done?: { progress: number; total?: number }): Promise<void>;
  text(delta: string): Promise<void>;
  /** Resolves with the answer: text, or with a schema the filled-in form as JSON text. */
  ask(prompt: string, schema?: Record<string, unknown>): Promise<string>;
  /** Keeps a file the agent sent; resolves with its address. */
  file(name: string, data: Uint8Array, mimeType: string): Promise<string>;
}

export interface RemoteCall {
  skill: Pick<RemoteSkill, 'remote' | 'typed'>;
  args: Record<string, unknown>;
  credentials: Credentials;
  signal: AbortSignal;
  listener: Listener;
}

export interface Tokens {
  access_token: string;
  /** The provider's next one; absent: the old one stays good. */
  refresh_token?: string | undefined;
  expires_in?: number | undefined;
}

export interface RefreshRequest {
  token_url: string;
  refresh_token: string;
  client_id?: string | undefined;
  client_secret?: string | undefined;
  signal: AbortSignal;
}

/** A conversation with one agent; what it keeps (a connection, a session) is closed with it. */
export interface RemoteAgent {
  /** @throws RemoteFault */
  call(call: RemoteCall): Promise<unknown>;
  close(): Promise<void>;
}

export interface RemoteAgents {
  /** Undefined: the address may be used; else what is wrong with it, as the rest of a sentence. */
  problemOf(url: string): string | undefined;
  /** @throws RemoteFault */
  discover(place: Place): Promise<RemoteCard>;
  open(card: Pick<RemoteCard, 'protocol' | 'endpoint' | 'source'>): RemoteAgent;
  /** @throws RemoteFault `token_refused` when the provider refuses the token for good */
  refresh(request: RefreshRequest): Promise<Tokens>;
  close(): Promise<void>;
}

export type RemoteFaultCode = CodesAmong<
  | 'remote_address_refused'
  | 'remote_unreachable'
  | 'remote_timeout'
  | 'remote_not_an_agent'
  | 'remote_card_invalid'
  | 'remote_too_large'
  | 'remote_failed'
  | 'auth_required'
  | 'token_refused'
>;

/**
 * `message` is for the person who imports or calls: nothing of the answer's body but what the agent said as
 * its reason.
 */
export class RemoteFault extends Error {
  readonly code: RemoteFaultCode;
  constructor(code: RemoteFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RemoteFault';
    this.code = code;
  }
}

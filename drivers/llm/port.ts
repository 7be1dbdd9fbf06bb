// Language models as the platform needs them: one answer, streamed, with tools. What differs between vendors
// ends in the drivers.
import type { CodesAmong } from '#contract/errors/index.ts';
import type { ModelProtocol } from '#contract/wire/model-use.ts';
import type { Exchange } from './exchange.ts';

/**
 * How the endpoint speaks: OpenAI's chat completions, which most others speak too, or Anthropic's messages.
 */
export type { ModelProtocol };

export interface ModelTarget {
  protocol: ModelProtocol;
  /** Up to and with the version: `https://api.openai.com/v1`. */
  baseUrl: string;
  /** null: the endpoint asks for none. */
  apiKey: string | null;
  model: string;
}

export interface ModelToolCall {
  id: string;
  name: string;
  /** What the model gave, parsed. Not checked against a schema: its executor does that. */
  input: unknown;
}

export type ModelMessage =
  | { role: 'system' | 'user'; text: string }
  | { role: 'assistant'; text: string; toolCalls?: readonly ModelToolCall[] }
  | { role: 'tool'; callId: string; name: string; output: unknown; failed?: boolean };

export interface ModelTool {
  /** Letters, digits, "_" and "-", at most 64. */
  name: string;
  description: string;
  /** JSON Schema of an object. */
  input: Record<string, unknown>;
}

export interface ModelRequest {
  messages: readonly ModelMessage[];
  tools?: readonly ModelTool[] | undefined;
  /** Default auto. */
  toolChoice?: 'auto' | 'none' | 'required' | undefined;
  maxOutputTokens: number;
  temperature?: number | undefined;
  signal: AbortSignal;
  /** For the whole answer; default ten minutes. */
  timeoutMs?: number | undefined;
}

export interface ModelUsage {
  /** All that was sent, cached or not. */
  inputTokens: number;
  /** Of those, read from the vendor's cache, and written to it. */
  cachedInputTokens: number;
  cacheWriteTokens: number;
  /** All that was answered, thinking included. */
  outputTokens: number;
}

export type ModelEnd = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other';

export type ModelPart =
  | { type: 'text'; text: string }
  | ({ type: 'tool_call' } & ModelToolCall)
  /** The last one. `usage` is null when the endpoint does not count. */
  | { type: 'end'; reason: ModelEnd; usage: ModelUsage | null };

export interface ModelAnswer {
  text: string;
  toolCalls: ModelToolCall[];
  reason: ModelEnd;
  usage: ModelUsage | null;
}

export type ModelErrorCode = CodesAmong<
  'auth' | 'rate_limited' | 'overloaded' | 'context_length' | 'model_not_found' | 'bad_request' | 'bad_answer' | 'timeout' | 'unreachable' | 'cancelled'
>;

/** Never carries a key: neither in its message nor as its cause. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;
  /** Set with rate_limited and overloaded when the endpoint said it. */
  readonly retryAfterSeconds: number | undefined;
  /** What the endpoint counted before it broke off. */
  readonly usage: ModelUsage | undefined;
  constructor(code: ModelErrorCode, message: string, more: { retryAfterSeconds?: number | undefined; usage?: ModelUsage | undefined } = {}) {
    super(message);
    this.name = 'ModelError';
    this.code = code;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.usage = more.usage;
  }
}

export interface LanguageModels {
  /**
   * What is wrong with an address as base URL, as a sentence; undefined when it may be used. Resolves no
   * names.
   */
  checkAddress(baseUrl: string): string | undefined;
  /**
   * The answer as it comes; its last part is `end`. Leaving the iteration ends the request. @throws
   * ModelError
   */
  stream(target: ModelTarget, request: ModelRequest): AsyncIterable<ModelPart>;
  /** The whole answer. @throws ModelError */
  generate(target: ModelTarget, request: ModelRequest): Promise<ModelAnswer>;
  /**
   * A request in the endpoint's own words, and its answer as it comes. @throws ModelError unreachable,
   * timeout, cancelled
   */
  exchange: Exchange;
}

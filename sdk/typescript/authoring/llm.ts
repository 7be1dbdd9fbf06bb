// ctx.llm: language models, over the platform's model gateway, on a laptop with the developer's own key, in
// tests by a script.
import type { ModelProtocol } from '../../../contract/wire/model-use.ts';

export interface LlmToolCall {
  id: string;
  name: string;
  arguments: Readonly<Record<string, unknown>>;
}

export type LlmMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: readonly LlmToolCall[] }
  /** What a tool gave, for the model to read. */
  | { role: 'tool'; toolCallId: string; content: string };

export type LlmPrompt = string | readonly LlmMessage[];

export interface LlmTool {
  name: string;
  description?: string;
  /** JSON Schema of its arguments, of type object; default: none. */
  inputSchema?: Readonly<Record<string, unknown>>;
}

/** Of object(). */
export interface LlmObjectOptions {
  /** As the model gateway knows it: `gpt-5.5`, `claude-sonnet-5`; default: `models.default` of svc.yaml. */
  model?: string | undefined;
  /** Whose wire is spoken; default: anthropic for `claude-…`, openai for all others. */
  protocol?: ModelProtocol | undefined;
  /** The system prompt. */
  system?: string | undefined;
  /** Of the answer. */
  maxTokens?: number | undefined;
  temperature?: number | undefined;
}

export interface LlmOptions extends LlmObjectOptions {
  /** The model may ask for them (`toolCalls` of the result); your code runs them. */
  tools?: readonly LlmTool[] | undefined;
  /**
   * JSON Schema that the answer is to fit, then JSON text. Asked for, not checked: object() checks. Not
   * together with tools.
   */
  schema?: Readonly<Record<string, unknown>> | undefined;
}

export interface LlmUsage {
  /** With those read from the provider's cache. */
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
}

export type LlmFinishReason = 'stop' | 'length' | 'tool_calls' | 'refusal' | 'other';

export interface LlmResult {
  text: string;
  toolCalls: readonly LlmToolCall[];
  finishReason: LlmFinishReason;
  usage: LlmUsage;
  /** Which answered, as the endpoint names it. */
  model: string;
}

export interface LlmEmbeddings {
  /** One for each text, in their order; all of one length. */
  vectors: readonly (readonly number[])[];
  usage: LlmUsage;
  /** Which answered, as the endpoint names it. */
  model: string;
}

/** The text as it comes. Leaving the loop ends the request; nothing is sent before the first read. */
export interface LlmStream extends AsyncIterable<string> {
  /** Reads what is left. @throws ModelFailed, also where the stream was left before its end */
  result(): Promise<LlmResult>;
}

/** What zod, valibot, arktype and others make (standardschema.dev). */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined }[] };

export interface Llm {
  /** @throws ModelFailed with the gateway's own code */
  generate(prompt: LlmPrompt, options?: LlmOptions): Promise<LlmResult>;
  /** `for await (const delta of ctx.llm.stream('Tell me a story')) await ctx.emitTextDelta(delta);` */
  stream(prompt: LlmPrompt, options?: LlmOptions): LlmStream;
  /**
   * A value that fits the schema. An answer that does not fit is asked for once more, with what is wrong.
   * @throws ModelAnswerInvalid when that does not fit either, ModelFailed
   */
  object<Output>(schema: StandardSchema<Output> | Readonly<Record<string, unknown>>, prompt: LlmPrompt, options?: LlmObjectOptions): Promise<Output>;
  /**
   * Vectors of texts, 1 to 256 of them: what means the same is near. `model` by default: `models.embedding`
   * of svc.yaml.
   * @throws ModelFailed with the gateway's own code
   */
  embed(texts: readonly string[], options?: { model?: string | undefined }): Promise<LlmEmbeddings>;
}

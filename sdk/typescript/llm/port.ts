// What ctx.llm needs of who answers: the model gateway, a provider, or a test's script.
import type { ModelProtocol } from '../../../contract/wire/model-use.ts';
import type { LlmEmbeddings, LlmMessage, LlmResult, LlmTool } from '../authoring/llm.ts';

export interface ModelRequest {
  messages: readonly LlmMessage[];
  model: string | undefined;
  protocol: ModelProtocol | undefined;
  maxTokens: number | undefined;
  temperature: number | undefined;
  tools: readonly LlmTool[];
  /** JSON Schema of type object that the answer is to fit. */
  schema: Readonly<Record<string, unknown>> | undefined;
}

export interface ModelPort {
  /**
   * Yields the text as it comes, ends with the whole. Leaving it ends the request. @throws ModelFailed, and
   * the signal's reason
   */
  ask(request: ModelRequest, how: { stream: boolean; signal: AbortSignal }): AsyncGenerator<string, LlmResult, void>;
  /** Of at least one text. @throws ModelFailed, and the signal's reason */
  embed(request: { texts: readonly string[]; model: string | undefined }, signal: AbortSignal): Promise<LlmEmbeddings>;
}

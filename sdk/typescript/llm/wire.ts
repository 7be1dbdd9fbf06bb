// The part of a provider's wire protocol that ctx.llm uses.
import type { LlmResult } from '../authoring/llm.ts';
import type { ModelRequest } from './port.ts';

/** A request whose model is known. */
export type NamedRequest = ModelRequest & { model: string };
type Refusal = { code: string; message: string };

export interface AnswerReader {
  /** One event of a stream, or the whole answer; the text it adds. @throws ModelFailed */
  take(piece: unknown): string;
  /** @throws ModelFailed where the end has not come */
  result(): LlmResult;
}

export interface Wire {
  /** Behind the base URL that the provider's own clients take. */
  path: string;
  body(request: NamedRequest, stream: boolean): Record<string, unknown>;
  reader(request: NamedRequest): AnswerReader;
  /** Of an error's body; undefined: it is not in the wire's form. */
  refusal(body: unknown): Refusal | undefined;
}

// Models of a test: they answer what its author says.
import { ModelFailed } from '../authoring/errors.ts';
import type { LlmFinishReason, LlmMessage, LlmResult, LlmTool, LlmUsage } from '../authoring/llm.ts';
import type { ModelPort } from './port.ts';

/** What the agent asked. */
export interface ScriptedRequest {
  messages: readonly LlmMessage[];
  model: string | undefined;
  tools: readonly LlmTool[];
  schema: Readonly<Record<string, unknown>> | undefined;
  /** It asks for vectors of these; undefined: it asks for an answer. */
  texts: readonly string[] | undefined;
}

/** Text; a value, as JSON; calls of tools; vectors, for embed; or an error that is thrown. */
export type ScriptedAnswer =
  | string
  | { json: unknown }
  | { vectors: readonly (readonly number[])[] }
  | { text?: string; toolCalls?: readonly { name: string; arguments: Readonly<Record<string, unknown>> }[]; finishReason?: LlmFinishReason }
  | Error;

/** One answer for each request, in turn; or by the request. */
export type LlmScript = readonly ScriptedAnswer[] | ((request: ScriptedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>);

export function scriptedModels(script: LlmScript): ModelPort {
  let nextIndex = 0;
  const next = async (request: ScriptedRequest): Promise<ScriptedAnswer> => {
    if (typeof script === 'function') return script(request);
    const answer = script[nextIndex++];
    if (answer !== undefined) return answer;
    throw new ModelFailed(`the test scripts ${script.length} answers of models, and the agent asked once more: add one to llm`, {
      code: 'model_script_ended',
      status: 0,
    });
  };
  return {
    async embed({ texts, model }) {
      const answer = await next({ messages: [], model, tools: [], schema: undefined, texts });
      if (answer instanceof Error) throw answer;
      if (typeof answer === 'string' || !('vectors' in answer) || answer.vectors.length !== texts.length)
        throw unfit(`the agent asks for vectors of ${texts.length} texts: answer with { vectors: […] }, one for each`);
      return { vectors: answer.vectors, usage: NO_USAGE, model: model ?? 'scripted' };
    },
    async *ask({ messages, model, tools, schema }, { stream, signal }) {
      const answer = await next({ messages, model, tools, schema, texts: undefined });
      if (answer instanceof Error) throw answer;
      if (typeof answer !== 'string' && 'vectors' in answer) throw unfit('the agent asks for an answer, and the next one of the script is vectors, for embed');
      const result = resultOf(answer, model ?? 'scripted');
      for (const word of stream ? wordsOf(result.text) : []) {
        if (signal.aborted) throw signal.reason;
        yield word;
      }
      return result;
    },
  };
}

type ScriptedReply = Exclude<ScriptedAnswer, Error | { vectors: unknown }>;

const NO_USAGE: LlmUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

function unfit(message: string): ModelFailed {
  return new ModelFailed(message, { code: 'model_script_unfit', status: 0 });
}

function resultOf(answer: ScriptedReply, model: string): LlmResult {
  const reply = typeof answer === 'string' ? { text: answer } : 'json' in answer ? { text: JSON.stringify(answer.json) } : answer;
  const {
    text = '',
    toolCalls = [],
    finishReason = toolCalls.length > 0 ? 'tool_calls' : 'stop',
  } = reply as Exclude<ScriptedReply, string | { json: unknown }>;
  return {
    text,
    toolCalls: toolCalls.map((call, at) => ({ id: `call_${at + 1}`, ...call })),
    finishReason,
    usage: NO_USAGE,
    model,
  };
}

/** With the space behind each: together they are the text. */
function wordsOf(text: string): string[] {
  return text.match(/\s*\S+\s*/g) ?? (text === '' ? [] : [text]);
}

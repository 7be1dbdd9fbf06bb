// The two wires through their maintained clients. Loaded on first use: most processes never talk to a model.
import type { LanguageModelV4, LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import { callOptions } from './prompt.ts';
import { modelError } from './errors.ts';
import type { ModelEnd, ModelPart, ModelRequest, ModelTarget, ModelUsage } from './port.ts';

const tenMinutes = 600_000;

export async function* streamAnswer(target: ModelTarget, request: ModelRequest, fetch: typeof globalThis.fetch): AsyncGenerator<ModelPart> {
  const deadline = AbortSignal.timeout(request.timeoutMs ?? tenMinutes);
  let usage: ModelUsage | undefined;
  const failure = (error: unknown) => modelError(error, { apiKey: target.apiKey, cancelled: request.signal.aborted, timedOut: deadline.aborted, usage });
  try {
    request.signal.throwIfAborted();
    const model = await open(target, fetch);
    const { stream } = await model.doStream(callOptions(request, AbortSignal.any([request.signal, deadline])));
    let broken: unknown;
    let end: ModelEnd | undefined;
    for await (const part of stream) {
      if (part.type === 'text-delta' && part.delta !== '') yield { type: 'text', text: part.delta };
      if (part.type === 'tool-call') yield { type: 'tool_call', id: part.toolCallId, name: part.toolName, input: parsed(part.input) };
      // What was counted comes after it.
      if (part.type === 'error') broken ??= part.error ?? new Error('broken');
      if (part.type === 'finish') {
        usage = usageOf(part.usage);
        end = endOf(part.finishReason);
      }
    }
    if (broken !== undefined) throw broken;
    if (end === undefined) throw new Error('the answer has no end');
    yield { type: 'end', reason: end, usage: usage ?? null };
  } catch (error) {
    throw failure(error);
  }
}

async function open({ protocol, baseUrl, apiKey, model }: ModelTarget, fetch: typeof globalThis.fetch): Promise<LanguageModelV4> {
  const baseURL = baseUrl.replace(/\/+$/, '');
  if (protocol === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    // Always given: left out, the client would look for one in the environment.
    return createAnthropic({ baseURL, apiKey: apiKey ?? 'none', fetch })(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const own = new URL(baseURL).hostname === 'api.openai.com' ? { transformRequestBody: renamed } : {};
  return createOpenAICompatible({ name: 'openai', baseURL, ...(apiKey === null ? {} : { apiKey }), fetch, includeUsage: true, ...own })(model);
}

/** OpenAI's newer models refuse the old name, which other vendors kept. */
function renamed({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return { ...body, max_completion_tokens: max_tokens };
}

/** @throws when a model's arguments are no JSON: an answer that broke off. */
function parsed(input: string): unknown {
  const value: unknown = input.trim() === '' ? {} : JSON.parse(input);
  return value;
}

function endOf({ unified }: LanguageModelV4FinishReason): ModelEnd | undefined {
  switch (unified) {
    case 'stop':
    case 'length':
    case 'other':
      return unified;
    case 'tool-calls':
      return 'tool_calls';
    case 'content-filter':
      return 'content_filter';
    default:
      return undefined;
  }
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelUsage | undefined {
  if (!isCount(inputTokens.total) || !isCount(outputTokens.total)) return undefined;
  const part = (count: number | undefined): number => (isCount(count) ? Math.min(count, inputTokens.total ?? 0) : 0);
  return {
    inputTokens: inputTokens.total,
    cachedInputTokens: part(inputTokens.cacheRead),
    cacheWriteTokens: part(inputTokens.cacheWrite),
    outputTokens: outputTokens.total,
  };
}

/** What an endpoint counts is its word: a number that could be one. */
function isCount(count: number | undefined): count is number {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 && count <= 100_000_000;
}

// ctx.llm as a worker reaches it: messages in the protocol's names, and streams that are read piece by piece.
import type { ContextMethod } from '../../../contract/wire/worker.ts';
import type { ContextParams, ContextValue } from '../../../contract/wire/context-methods.ts';
import type { RunContext } from '../authoring/context.ts';
import type { LlmMessage, LlmOptions, LlmResult, LlmStream, LlmUsage } from '../authoring/llm.ts';

type LlmMethod = Extract<ContextMethod, `llm.${string}`>;
type LlmCalls = { [M in LlmMethod]: (params: ContextParams<M>) => Promise<ContextValue<M>> };

interface Open {
  stream: LlmStream;
  pieces: AsyncIterator<string>;
}

/** Streams of one run at a time. */
const MOST_OPEN = 64;

export function llmCalls(ctx: RunContext): LlmCalls {
  const open = new Map<number, Open>();
  let last = 0;
  const find = (number: number): Open => {
    const openStream = open.get(number);
    if (!openStream) throw new TypeError(`this run reads no stream ${number}: it has ended, or was left`);
    return openStream;
  };
  return {
    'llm.generate': async (params) => answerOf(await ctx.llm.generate(messagesOf(params), optionsOf(params))),
    'llm.object': async ({ schema, ...params }) => {
      const { model, protocol, system, maxTokens, temperature } = optionsOf(params);
      return await ctx.llm.object(schema, messagesOf(params), { model, protocol, system, maxTokens, temperature });
    },
    'llm.start': async (params) => {
      if (open.size >= MOST_OPEN) throw new TypeError(`a run reads at most ${MOST_OPEN} streams of models at a time: read some to their end`);
      const stream = ctx.llm.stream(messagesOf(params), optionsOf(params));
      open.set(++last, { stream, pieces: stream[Symbol.asyncIterator]() });
      return { stream: last };
    },
    'llm.read': async ({ stream: number }) => {
      const { stream, pieces } = find(number);
      try {
        const { done, value } = await pieces.next();
        if (!done) return { text: value, answer: null };
        open.delete(number);
        return { text: null, answer: answerOf(await stream.result()) };
      } catch (error) {
        open.delete(number);
        throw error;
      }
    },
    'llm.embed': async ({ texts, model }) => {
      const { vectors, usage, model: answered } = await ctx.llm.embed(texts, { model });
      return { vectors: vectors.map((one) => [...one]), usage: usageOf(usage), model: answered };
    },
    'llm.leave': async ({ stream: number }) => {
      await open.get(number)?.pieces.return?.();
      open.delete(number);
      return null;
    },
  };
}

type Params = Omit<ContextParams<'llm.generate'>, 'schema'> & { schema?: Record<string, unknown> | undefined };

function messagesOf({ messages }: Params): LlmMessage[] {
  return messages.map((message) => {
    if (message.role === 'tool') return { role: 'tool', toolCallId: message.tool_call_id, content: message.content };
    if (message.role !== 'assistant') return { role: message.role, content: message.content };
    return { role: 'assistant', content: message.content, toolCalls: message.tool_calls };
  });
}

function optionsOf({ model, protocol, system, max_tokens, temperature, tools, schema }: Params): LlmOptions {
  const offered = tools.map(({ name, description, input_schema }) => ({
    name,
    ...(description !== undefined && { description }),
    ...(input_schema && { inputSchema: input_schema }),
  }));
  return { model, protocol, system, maxTokens: max_tokens, temperature, tools: offered, schema };
}

function answerOf({ text, toolCalls, finishReason, usage, model }: LlmResult): ContextValue<'llm.generate'> {
  return {
    text,
    tool_calls: toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: { ...args } })),
    finish_reason: finishReason,
    usage: usageOf(usage),
    model,
  };
}

function usageOf({ inputTokens, cachedInputTokens, outputTokens }: LlmUsage): ContextValue<'llm.embed'>['usage'] {
  return { input_tokens: inputTokens, cached_input_tokens: cachedInputTokens, output_tokens: outputTokens };
}

// ctx.llm on OpenAI's wire: chat completions, which every compatible endpoint has.
import { z } from 'zod';
import { ModelFailed } from '../authoring/errors.ts';
import type { LlmFinishReason, LlmMessage } from '../authoring/llm.ts';
import { badAnswer, Collected } from './collected.ts';
import type { AnswerReader, Wire } from './wire.ts';

const ToolCall = z.object({
  index: z.int().optional(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
});
const ReplyMessage = z.object({ content: z.string().nullish(), refusal: z.string().nullish(), tool_calls: z.array(ToolCall).nullish() });
const count = z.int().min(0).catch(0);
const Failure = z.object({ error: z.object({ message: z.string(), code: z.union([z.string(), z.number()]).nullish(), type: z.string().nullish() }) });
/** A streamed chunk (`delta`) or the whole answer (`message`). */
const Piece = z.object({
  model: z.string().optional(),
  choices: z.array(z.object({ delta: ReplyMessage.nullish(), message: ReplyMessage.nullish(), finish_reason: z.string().nullish() })).default([]),
  usage: z.object({ prompt_tokens: count, completion_tokens: count, prompt_tokens_details: z.object({ cached_tokens: count }).nullish() }).nullish(),
});

const FINISHED: Record<string, LlmFinishReason> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'refusal',
};

export const openaiWire: Wire = {
  path: '/chat/completions',
  body: ({ model, messages, maxTokens, temperature, tools, schema }, stream) => ({
    model,
    messages: messages.map(messageOf),
    ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: 'function',
        function: { name, ...(description !== undefined && { description }), parameters: inputSchema ?? { type: 'object', properties: {} } },
      })),
    }),
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  }),
  reader: () => readerOf(new Collected()),
  refusal: (body) => {
    const { data } = Failure.safeParse(body);
    return data && { code: String(data.error.code ?? data.error.type ?? 'model_refused'), message: data.error.message };
  },
};

function messageOf(message: LlmMessage): object {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  if (message.role !== 'assistant' || !message.toolCalls?.length) return { role: message.role, content: message.content };
  const calls = message.toolCalls.map(({ id, name, arguments: args }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }));
  return { role: 'assistant', content: message.content === '' ? null : message.content, tool_calls: calls };
}

function readerOf(collected: Collected): AnswerReader {
  const addMessage = ({ content, refusal, tool_calls: calls }: z.infer<typeof ReplyMessage>): string => {
    for (const [at, call] of (calls ?? []).entries())
      collected.call(call.index ?? at, { id: call.id, name: call.function?.name, json: call.function?.arguments });
    if (refusal) collected.finish = 'refusal';
    return collected.say((content ?? '') + (refusal ?? ''));
  };
  return {
    take: (piece) => {
      const failure = openaiWire.refusal(piece);
      if (failure) throw new ModelFailed(failure.message, { code: failure.code, status: 0 });
      const parsed = Piece.safeParse(piece);
      if (!parsed.success) throw badAnswer(z.prettifyError(parsed.error));
      const { model, usage, choices } = parsed.data;
      if (model) collected.model = model;
      if (usage)
        collected.usage = {
          inputTokens: usage.prompt_tokens,
          cachedInputTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
          outputTokens: usage.completion_tokens,
        };
      const [choice] = choices;
      if (!choice) return '';
      const text = addMessage(choice.delta ?? choice.message ?? {});
      if (choice.finish_reason && collected.finish !== 'refusal') collected.finish = FINISHED[choice.finish_reason] ?? 'other';
      return text;
    },
    result: () => collected.result(),
  };
}

// ctx.llm on Anthropic's wire: messages. An answer by schema is asked for as the arguments of one tool, which
// every version of the wire has.
import { z } from 'zod';
import { ModelFailed } from '../authoring/errors.ts';
import type { LlmFinishReason, LlmMessage } from '../authoring/llm.ts';
import { badAnswer, Collected } from './collected.ts';
import type { AnswerReader, Wire } from './wire.ts';

/** The wire demands a limit. */
const DEFAULT_MAX_TOKENS = 8_192;
const ANSWER = 'answer';

const count = z.int().min(0).nullish();
const Usage = z.object({ input_tokens: count, cache_read_input_tokens: count, cache_creation_input_tokens: count, output_tokens: count });
const Block = z.object({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
});
const Message = z.object({ model: z.string(), content: z.array(Block), stop_reason: z.string().nullish(), usage: Usage });
const Failure = z.object({ type: z.literal('error'), error: z.object({ type: z.string(), message: z.string() }) });
const at = z.int().min(0);
const Piece = z.discriminatedUnion('type', [
  Message.extend({ type: z.literal('message') }),
  z.object({ type: z.literal('message_start'), message: Message }),
  z.object({ type: z.literal('content_block_start'), index: at, content_block: Block }),
  z.object({
    type: z.literal('content_block_delta'),
    index: at,
    delta: z.object({ type: z.string(), text: z.string().optional(), partial_json: z.string().optional() }),
  }),
  z.object({ type: z.literal('message_delta'), delta: z.object({ stop_reason: z.string().nullish() }), usage: Usage.nullish() }),
]);
type Piece = z.infer<typeof Piece>;
const KNOWN = new Set(Piece.options.map((option) => option.shape.type.value as string));
const Named = z.object({ type: z.string() });

const FINISHED: Record<string, LlmFinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'refusal',
};

export const anthropicWire: Wire = {
  path: '/v1/messages',
  body: ({ model, messages, maxTokens = DEFAULT_MAX_TOKENS, temperature, tools, schema }, stream) => {
    const system = messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n');
    const offered = tools.map(({ name, description, inputSchema }) => ({
      name,
      ...(description !== undefined && { description }),
      input_schema: inputSchema ?? { type: 'object', properties: {} },
    }));
    return {
      model,
      max_tokens: maxTokens,
      messages: turnsOf(messages),
      ...(system !== '' && { system }),
      ...(temperature !== undefined && { temperature }),
      ...(offered.length > 0 && { tools: offered }),
      ...(schema && {
        tools: [{ name: ANSWER, description: 'Give the answer with this tool.', input_schema: schema }],
        tool_choice: { type: 'tool', name: ANSWER },
      }),
      ...(stream && { stream: true }),
    };
  },
  reader: ({ schema }) => readerOf(new Collected(), schema !== undefined),
  refusal: (body) => {
    const { data } = Failure.safeParse(body);
    if (!data) return undefined;
    // The gateway's own code stands behind its message: the wire has no other place for it.
    const [, message = data.error.message, code = data.error.type] = /^(.*) \(([a-z_]+)\)$/s.exec(data.error.message) ?? [];
    return { code, message };
  },
};

/** Neighbours of one role are one turn: the results of several tools belong together. */
function turnsOf(messages: readonly LlmMessage[]): object[] {
  const turns: { role: 'user' | 'assistant'; content: object[] }[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocksOf(message));
    else turns.push({ role, content: blocksOf(message) });
  }
  return turns;
}

function blocksOf(message: LlmMessage): object[] {
  if (message.role === 'tool') return [{ type: 'tool_result', tool_use_id: message.toolCallId, content: message.content }];
  const text = message.content === '' ? [] : [{ type: 'text', text: message.content }];
  if (message.role !== 'assistant') return text;
  return [...text, ...(message.toolCalls ?? []).map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }))];
}

/** @param bySchema what the one tool gets is the text */
function readerOf(collected: Collected, bySchema: boolean): AnswerReader {
  const stopped = (reason: string | null | undefined): void => {
    if (!reason) return;
    collected.finish = bySchema && reason === 'tool_use' ? 'stop' : (FINISHED[reason] ?? 'other');
  };
  const counted = (usage: z.infer<typeof Usage>): void => {
    const before = collected.usage;
    const cached = usage.cache_read_input_tokens ?? 0;
    const input = (usage.input_tokens ?? 0) + cached + (usage.cache_creation_input_tokens ?? 0);
    collected.usage = {
      inputTokens: usage.input_tokens === undefined || usage.input_tokens === null ? before.inputTokens : input,
      cachedInputTokens: usage.cache_read_input_tokens ?? before.cachedInputTokens,
      outputTokens: usage.output_tokens ?? before.outputTokens,
    };
  };
  const json = (index: number, text: string): string => {
    if (bySchema) return collected.say(text);
    collected.call(index, { json: text });
    return '';
  };
  const begun = (index: number, block: z.infer<typeof Block>): string => {
    // Under a schema the answer is only the tool's: a word before it would spoil the JSON.
    if (block.type === 'text') return bySchema ? '' : collected.say(block.text ?? '');
    if (block.type !== 'tool_use') return '';
    if (!bySchema) collected.call(index, { id: block.id, name: block.name });
    // In a stream it is empty, and comes in pieces.
    const input = typeof block.input === 'object' && block.input !== null && Object.keys(block.input).length > 0 ? block.input : undefined;
    return input ? json(index, JSON.stringify(input)) : '';
  };
  const take = (piece: Piece): string => {
    switch (piece.type) {
      case 'message': {
        collected.model = piece.model;
        counted(piece.usage);
        stopped(piece.stop_reason);
        return piece.content.map((block, index) => begun(index, block)).join('');
      }
      case 'message_start':
        collected.model = piece.message.model;
        counted(piece.message.usage);
        return '';
      case 'content_block_start':
        return begun(piece.index, piece.content_block);
      case 'content_block_delta':
        if (piece.delta.partial_json !== undefined) return json(piece.index, piece.delta.partial_json);
        return bySchema ? '' : collected.say(piece.delta.text ?? '');
      case 'message_delta':
        if (piece.usage) counted(piece.usage);
        stopped(piece.delta.stop_reason);
        return '';
    }
  };
  return {
    take: (piece) => {
      const failure = anthropicWire.refusal(piece);
      if (failure) throw new ModelFailed(failure.message, { code: failure.code, status: 0 });
      const named = Named.safeParse(piece);
      // The wire grows: what is not known is not needed.
      if (named.success && !KNOWN.has(named.data.type)) return '';
      const parsed = Piece.safeParse(piece);
      if (!parsed.success) throw badAnswer(z.prettifyError(parsed.error));
      return take(parsed.data);
    },
    result: () => collected.result(),
  };
}

// Anthropic's wire: messages, the count of their tokens, models.
import type { ModelUsage } from '#drivers/llm/port.ts';
import { repeated, textsIn } from './stream-texts.ts';
import { type Body, count, isObject, type Metered, type Operation, textLength, tokenLimit } from './wire.ts';

const messages: Metered = {
  outputTokens: (body) => tokenLimit(body, 'max_tokens'),
  answers: () => 1,
  prepared: (body, outputTokens) => ({ ...body, ...(outputTokens === undefined ? {} : { max_tokens: outputTokens }) }),
  usage: (piece, before) => {
    // The start of a stream counts the input, later events what was said until then.
    const usage = piece['usage'] ?? (isObject(piece['message']) ? piece['message']['usage'] : undefined);
    return isObject(usage) ? joined(usage, before) : undefined;
  },
  said: ({ delta, content }) => textLength(delta ?? content),
  stream: {
    texts: (piece) => {
      const { type, delta } = piece;
      if (type !== 'content_block_delta' || !isObject(delta)) return [];
      const about = repeated(piece, ['type', 'index']);
      const kind = repeated(delta, ['type']);
      const eventOf = (more: unknown): Body => ({ ...about, delta: { ...kind, ...(isObject(more) ? more : {}) } });
      return textsIn(delta, `block ${count(piece['index'])} `, eventOf, () => undefined);
    },
    ended: ({ type, index }) => (type === 'message_stop' ? '' : type === 'content_block_stop' ? `block ${count(index)} ` : undefined),
  },
};

function joined(usage: Body, before: ModelUsage | undefined): ModelUsage {
  const given = (name: string, otherwise: number): number => (usage[name] === undefined || usage[name] === null ? otherwise : count(usage[name]));
  const [readBefore, writtenBefore] = [before?.cachedInputTokens ?? 0, before?.cacheWriteTokens ?? 0];
  const fresh = given('input_tokens', (before?.inputTokens ?? 0) - readBefore - writtenBefore);
  const cachedInputTokens = given('cache_read_input_tokens', readBefore);
  const cacheWriteTokens = given('cache_creation_input_tokens', writtenBefore);
  return {
    inputTokens: fresh + cachedInputTokens + cacheWriteTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: given('output_tokens', before?.outputTokens ?? 0),
  };
}

export const anthropicOperations: readonly Operation[] = [
  { protocol: 'anthropic', name: 'messages', method: 'POST', path: '/messages', metered: messages },
  { protocol: 'anthropic', name: 'count_tokens', method: 'POST', path: '/messages/count_tokens' },
  { protocol: 'anthropic', name: 'models', method: 'GET', path: '/models' },
];

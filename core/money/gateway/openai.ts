// OpenAI's wire: chat completions, responses, embeddings, models.
import type { ModelUsage } from '#drivers/llm/port.ts';
import { repeated, textsIn } from './stream-texts.ts';
import { type Body, count, isObject, type Metered, type Operation, textLength, tokenLimit } from './wire.ts';

const chat: Metered = {
  // An endpoint may go by either.
  outputTokens: (body) => larger(tokenLimit(body, 'max_completion_tokens'), tokenLimit(body, 'max_tokens')),
  answers: (body) => tokenLimit(body, 'n') ?? 1,
  prepared: (body, outputTokens, provider) => ({
    ...body,
    ...(outputTokens === undefined ? {} : limited(body, outputTokens, provider)),
    // Without it a streamed answer counts nothing.
    ...(body['stream'] === true ? { stream_options: { ...(isObject(body['stream_options']) ? body['stream_options'] : {}), include_usage: true } } : {}),
  }),
  usage: ({ usage }) => (isObject(usage) ? usageOf(usage, 'prompt_tokens', 'completion_tokens', 'prompt_tokens_details') : undefined),
  said: ({ choices }) =>
    Array.isArray(choices) ? choices.reduce<number>((sum, one) => sum + (isObject(one) ? textLength(one['delta'] ?? one['message'] ?? one['text']) : 0), 0) : 0,
  shown: (piece, { stream, stream_options: options }) => {
    if (stream !== true || (isObject(options) && options['include_usage'] === true) || !('usage' in piece)) return piece;
    const { usage, ...rest } = piece;
    return isObject(usage) && Array.isArray(rest['choices']) && rest['choices'].length === 0 ? undefined : rest;
  },
  stream: {
    texts: (piece) => {
      const about = repeated(piece, ['id', 'object', 'created', 'model', 'system_fingerprint']);
      return choicesIn(piece).flatMap((choice, at) => {
        const index = count(choice['index'] ?? at);
        const eventOf = (delta: unknown): Body => ({ ...about, choices: [{ index, delta, finish_reason: null }] });
        return textsIn(choice['delta'], `choice ${index} `, eventOf, (text) => void (choice['delta'] = text));
      });
    },
    mayEnd: (piece) => choicesIn(piece).some((choice) => typeof choice['finish_reason'] === 'string'),
  },
};

const choicesIn = ({ choices }: Body): Body[] => (Array.isArray(choices) ? choices.flatMap((one: unknown) => (isObject(one) ? [one] : [])) : []);

/**
 * OpenAI's newer models refuse the old name. Everybody else kept it, and some know no other: a limit by the
 * new one would be none.
 */
function limited(body: Body, outputTokens: number, provider: string): Body {
  if (provider !== 'openai') return { max_tokens: outputTokens, max_completion_tokens: undefined };
  return typeof body['max_completion_tokens'] === 'number' || typeof body['max_tokens'] === 'number' ? {} : { max_completion_tokens: outputTokens };
}

function larger(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

const responses: Metered = {
  outputTokens: (body) => tokenLimit(body, 'max_output_tokens'),
  answers: () => 1,
  prepared: (body, outputTokens) => ({ ...body, ...(outputTokens === undefined ? {} : { max_output_tokens: outputTokens }) }),
  usage: (piece) => {
    // Streamed, the whole response comes with the last event.
    const { usage } = isObject(piece['response']) ? piece['response'] : piece;
    return isObject(usage) ? usageOf(usage, 'input_tokens', 'output_tokens', 'input_tokens_details') : undefined;
  },
  said: ({ delta, output }) => textLength(delta ?? output),
  stream: {
    texts: (piece) => {
      const { type } = piece;
      if (typeof type !== 'string' || !RESPONSE_TEXTS.test(type)) return [];
      const about = repeated(piece, ['type', 'sequence_number', ...RESPONSE_PLACE]);
      return textsIn(piece['delta'], placeOf(piece, type), (delta) => ({ ...about, delta }), (text) => void (piece['delta'] = text)); // prettier-ignore
    },
    ended: (piece) => {
      const { type } = piece;
      if (typeof type !== 'string') return undefined;
      if (/^response\.(?:completed|incomplete|failed)$/.test(type)) return '';
      return type.endsWith('.done') ? placeOf(piece, type) : undefined;
    },
  },
};

/** What comes in pieces; those of sounds and pictures are each whole. */
const RESPONSE_TEXTS = /(?:text|refusal|arguments|code|input|transcript)\.delta$/;
const RESPONSE_PLACE = ['item_id', 'output_index', 'content_index', 'summary_index'];
const placeOf = (piece: Body, type: string): string => `${type.replace(/\.(?:delta|done)$/, '')} ${JSON.stringify(repeated(piece, RESPONSE_PLACE))} `;

const embeddings: Metered = {
  outputTokens: () => 0,
  answers: () => 1,
  prepared: (body) => body,
  usage: ({ usage }) => (isObject(usage) ? usageOf(usage, 'prompt_tokens', '', '') : undefined),
  said: () => 0,
};

function usageOf(usage: Body, input: string, output: string, details: string): ModelUsage {
  const inputTokens = count(usage[input]);
  const detail = usage[details];
  return {
    inputTokens,
    cachedInputTokens: Math.min(inputTokens, isObject(detail) ? count(detail['cached_tokens']) : 0),
    cacheWriteTokens: 0,
    outputTokens: count(usage[output]),
  };
}

export const openaiOperations: readonly Operation[] = [
  { protocol: 'openai', name: 'chat', method: 'POST', path: '/chat/completions', metered: chat },
  { protocol: 'openai', name: 'responses', method: 'POST', path: '/responses', metered: responses },
  { protocol: 'openai', name: 'embeddings', method: 'POST', path: '/embeddings', metered: embeddings },
  { protocol: 'openai', name: 'models', method: 'GET', path: '/models' },
];

// Vectors on OpenAI's wire, the only one that has them.
import { z } from 'zod';
import type { LlmEmbeddings } from '../authoring/llm.ts';
import { badAnswer } from './collected.ts';

export const EMBEDDINGS_PATH = '/embeddings';

const count = z.int().min(0).catch(0);
const Answer = z.object({
  model: z.string().optional(),
  data: z.array(z.object({ index: z.int().optional(), embedding: z.array(z.number()).min(1) })),
  usage: z.object({ prompt_tokens: count }).nullish(),
});

/** @throws ModelFailed model_bad_answer: not one vector for each of the texts */
export function embeddingsIn(said: unknown, texts: number, asked: string): LlmEmbeddings {
  const parsed = Answer.safeParse(said);
  if (!parsed.success) throw badAnswer(z.prettifyError(parsed.error).slice(0, 500));
  const { data, usage, model } = parsed.data;
  const vectors = new Map(data.map(({ index, embedding }, at) => [index ?? at, embedding]));
  const [first] = data;
  const isWhole = data.length === texts && Array.from({ length: texts }, (_, at) => vectors.has(at)).every(Boolean);
  if (!isWhole) throw badAnswer(`it has ${data.length} vectors for ${texts} texts`);
  if (data.some(({ embedding }) => embedding.length !== first?.embedding.length)) throw badAnswer('its vectors are of different lengths');
  return {
    vectors: Array.from({ length: texts }, (_, at) => vectors.get(at) ?? []),
    usage: { inputTokens: usage?.prompt_tokens ?? 0, cachedInputTokens: 0, outputTokens: 0 },
    model: model ?? asked,
  };
}

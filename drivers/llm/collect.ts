import type { ModelAnswer, ModelPart } from './port.ts';

/** The whole answer of a stream. */
export async function collect(parts: AsyncIterable<ModelPart>): Promise<ModelAnswer> {
  const answer: ModelAnswer = { text: '', toolCalls: [], reason: 'other', usage: null };
  for await (const part of parts) {
    if (part.type === 'text') answer.text += part.text;
    if (part.type === 'tool_call') answer.toolCalls.push({ id: part.id, name: part.name, input: part.input });
    if (part.type === 'end') [answer.reason, answer.usage] = [part.reason, part.usage];
  }
  return answer;
}

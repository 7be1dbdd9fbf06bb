// The provider's answers on Gemini's wire, streamed and whole; for agents of ADK, which speaks no other.
import { type Answering, callsOf, stream, whole } from './answering.ts';

export async function generateContent(asked: Answering): Promise<void> {
  const { response, provider } = asked;
  const parts = [...(provider.words.length > 0 ? [{ text: provider.words.join('') }] : []), ...called(asked)];
  return whole(response, answer(parts, 'STOP'));
}

export async function streamGenerateContent(asked: Answering): Promise<void> {
  const { response, provider } = asked;
  stream(response);
  const send = (value: object): void => void response.write(`data: ${JSON.stringify(value)}\r\n\r\n`);
  for (const [at, text] of provider.words.entries()) {
    if (at > 0) await provider.pace(at);
    send(answer([{ text }]));
  }
  send(answer(called(asked), 'STOP'));
  response.end();
}

const called = (asked: Answering): object[] => (asked.calls ? callsOf(asked) : []).map(({ name, input }) => ({ functionCall: { name, args: input } }));

function answer(parts: readonly object[], finishReason?: string): object {
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
  return { candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }], usageMetadata, modelVersion: 'm-1' };
}

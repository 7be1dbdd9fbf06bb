// The provider's answers on Anthropic's wire.
import { type Answering, callsOf, stream, whole } from './answering.ts';

const INPUT = { input_tokens: 50, cache_read_input_tokens: 40, cache_creation_input_tokens: 10 };

export async function messages(asked: Answering): Promise<void> {
  const { response, body, provider } = asked;
  const made = { id: provider.nextId('msg_1'), type: 'message', role: 'assistant', model: body['model'], stop_sequence: null };
  const calls = callsOf(asked).map(({ name, input, pieces }, at) => ({
    pieces,
    call: { type: 'tool_use', id: provider.nextId(`toolu_${at + 1}`), name, input },
  }));
  const withTools = calls.length > 0;
  const stop_reason = withTools ? 'tool_use' : 'end_turn';
  if (body['stream'] !== true) {
    const content = [{ type: 'text', text: provider.words.join(''), citations: null }, ...calls.map(({ call }) => call)];
    return whole(response, { ...made, content, stop_reason, usage: { ...INPUT, output_tokens: 20 } });
  }
  stream(response);
  const event = (type: string, more: object = {}): void => void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  event('message_start', { message: { ...made, content: [], stop_reason: null, usage: { ...INPUT, output_tokens: 1 } } });
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  event('ping');
  for (const [at, text] of provider.words.entries()) {
    if (at > 0) await provider.pace(at);
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
  }
  event('content_block_stop', { index: 0 });
  for (const [at, { call, pieces }] of calls.entries()) {
    const index = at + 1;
    event('content_block_start', { index, content_block: { ...call, input: {} } });
    for (const partial_json of pieces) event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } });
    event('content_block_stop', { index });
  }
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } });
  event('message_stop');
  response.end();
}

export async function countTokens({ response }: Answering): Promise<void> {
  return whole(response, { input_tokens: 77 });
}

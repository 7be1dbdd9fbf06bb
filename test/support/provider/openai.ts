// The provider's answers on OpenAI's wire.
import { type Answering, stream, whole } from './answering.ts';

const CHAT_USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, prompt_tokens_details: { cached_tokens: 40 } };
const RESPONSE_USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 8 },
  total_tokens: 120,
};
const tool = { name: 'look_up', arguments: ['{"city":', '"Łódź"}'] };

export async function chatCompletions({ response, body, provider }: Answering): Promise<void> {
  const common = { id: 'chatcmpl-1', created: 1_795_000_000, model: String(body['model']) };
  const withTools = Array.isArray(body['tools']);
  if (body['stream'] !== true) {
    const calls = [{ id: 'call_1', type: 'function', function: { name: tool.name, arguments: tool.arguments.join('') } }];
    const message = { role: 'assistant', content: provider.words.join(''), refusal: null, ...(withTools && { tool_calls: calls }) };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: withTools ? 'tool_calls' : 'stop' }];
    return whole(response, { ...common, object: 'chat.completion', choices, usage: CHAT_USAGE });
  }
  const { stream_options: options } = body as { stream_options?: { include_usage?: boolean } };
  const counts = options?.include_usage === true;
  stream(response);
  const send = (choices: unknown[], usage: unknown = null): void =>
    void response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, ...(counts && { usage }) })}\n\n`);
  const piece = (delta: object, finish_reason: string | null = null): void => send([{ index: 0, delta, logprobs: null, finish_reason }]);
  piece({ role: 'assistant', content: '', refusal: null });
  for (const [at, content] of provider.words.entries()) {
    if (at > 0) await provider.pace(at);
    piece({ content });
  }
  if (withTools) {
    piece({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: tool.name, arguments: '' } }] });
    for (const part of tool.arguments) piece({ tool_calls: [{ index: 0, function: { arguments: part } }] });
  }
  piece({}, withTools ? 'tool_calls' : 'stop');
  if (counts) send([], CHAT_USAGE);
  response.end('data: [DONE]\n\n');
}

export async function responses({ response, body, provider }: Answering): Promise<void> {
  const text = provider.words.join('');
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  const item = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [part] };
  const made = { id: 'resp_1', object: 'response', created_at: 1_795_000_000, model: body['model'], tools: [], parallel_tool_calls: true, metadata: {} };
  const done = { ...made, status: 'completed', output: [item], usage: RESPONSE_USAGE };
  if (body['stream'] !== true) return whole(response, done);
  stream(response);
  let sequence_number = 0;
  const event = (type: string, more: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...more })}\n\n`);
  event('response.created', { response: { ...made, status: 'in_progress', output: [], usage: null } });
  event('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } });
  event('response.content_part.added', { item_id: 'msg_1', output_index: 0, content_index: 0, part: { ...part, text: '' } });
  for (const [at, delta] of provider.words.entries()) {
    if (at > 0) await provider.pace(at);
    event('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta, logprobs: [] });
  }
  event('response.output_text.done', { item_id: 'msg_1', output_index: 0, content_index: 0, text, logprobs: [] });
  event('response.output_item.done', { output_index: 0, item });
  event('response.completed', { response: done });
  response.end();
}

export async function embeddings({ response, body }: Answering): Promise<void> {
  const inputs = Array.isArray(body['input']) ? body['input'] : [body['input']];
  const bytes = Buffer.from(new Float32Array([0.25, -0.5, 1]).buffer).toString('base64');
  const embedding = body['encoding_format'] === 'base64' ? bytes : [0.25, -0.5, 1];
  const data = inputs.map((_one, index) => ({ object: 'embedding', index, embedding }));
  return whole(response, { object: 'list', data, model: body['model'], usage: { prompt_tokens: 30, total_tokens: 30 } });
}

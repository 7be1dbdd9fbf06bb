// The provider's answers on OpenAI's wire.
import { type Answering, callsOf, stream, whole } from './answering.ts';

const CHAT_USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, prompt_tokens_details: { cached_tokens: 40 } };
const RESPONSE_USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 8 },
  total_tokens: 120,
};

export async function chatCompletions(asked: Answering): Promise<void> {
  const { response, body, provider } = asked;
  const common = { id: provider.nextId('chatcmpl-1'), created: 1_795_000_000, model: String(body['model']) };
  const called = callsOf(asked).map((call, at) => ({ ...call, id: provider.nextId(`call_${at + 1}`) }));
  const withTools = called.length > 0;
  if (body['stream'] !== true) {
    const calls = called.map(({ id, name, pieces }) => ({ id, type: 'function', function: { name, arguments: pieces.join('') } }));
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
  for (const [index, { id, name, pieces }] of called.entries()) {
    piece({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    for (const part of pieces) piece({ tool_calls: [{ index, function: { arguments: part } }] });
  }
  piece({}, withTools ? 'tool_calls' : 'stop');
  if (counts) send([], CHAT_USAGE);
  response.end('data: [DONE]\n\n');
}

export async function responses(asked: Answering): Promise<void> {
  const { response, body, provider } = asked;
  const text = provider.words.join('');
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  const item = { id: provider.nextId('msg_1'), type: 'message', status: 'completed', role: 'assistant', content: [part] };
  const made = {
    id: provider.nextId('resp_1'),
    object: 'response',
    created_at: 1_795_000_000,
    model: body['model'],
    tools: [],
    parallel_tool_calls: true,
    metadata: {},
  };
  const called = callsOf(asked).map(({ name, input }, at) => {
    const id = provider.nextId(`call_${at + 1}`);
    return { id: `fc_${id}`, type: 'function_call', status: 'completed', call_id: id, name, arguments: JSON.stringify(input) };
  });
  const output = [...(text === '' ? [] : [item]), ...called];
  const done = { ...made, status: 'completed', output, usage: RESPONSE_USAGE };
  if (body['stream'] !== true) return whole(response, done);
  stream(response);
  let sequence_number = 0;
  const event = (type: string, more: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...more })}\n\n`);
  event('response.created', { response: { ...made, status: 'in_progress', output: [], usage: null } });
  if (text !== '') await say();
  for (const call of called) {
    const output_index = output.indexOf(call);
    const { id: item_id, arguments: delta } = call;
    event('response.output_item.added', { output_index, item: { ...call, status: 'in_progress', arguments: '' } });
    event('response.function_call_arguments.delta', { output_index, item_id, delta });
    event('response.function_call_arguments.done', { output_index, item_id, name: call.name, arguments: delta });
    event('response.output_item.done', { output_index, item: call });
  }
  event('response.completed', { response: done });
  response.end();

  async function say(): Promise<void> {
    event('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } });
    event('response.content_part.added', { item_id: item.id, output_index: 0, content_index: 0, part: { ...part, text: '' } });
    for (const [at, delta] of provider.words.entries()) {
      if (at > 0) await provider.pace(at);
      event('response.output_text.delta', { item_id: item.id, output_index: 0, content_index: 0, delta, logprobs: [] });
    }
    event('response.output_text.done', { item_id: item.id, output_index: 0, content_index: 0, text, logprobs: [] });
    event('response.output_item.done', { output_index: 0, item });
  }
}

export async function embeddings({ response, body }: Answering): Promise<void> {
  const inputs = Array.isArray(body['input']) ? body['input'] : [body['input']];
  const bytes = Buffer.from(new Float32Array([0.25, -0.5, 1]).buffer).toString('base64');
  const embedding = body['encoding_format'] === 'base64' ? bytes : [0.25, -0.5, 1];
  const data = inputs.map((_one, index) => ({ object: 'embedding', index, embedding }));
  return whole(response, { object: 'list', data, model: body['model'], usage: { prompt_tokens: 30, total_tokens: 30 } });
}

// What a page of another origin loads: the official clients, bundled for browsers.
import { HttpAgent } from '@ag-ui/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** A run that asks, and its answer. */
globalThis.runAgUi = async (url, headers) => {
  const agent = new HttpAgent({ url, headers });
  let last;
  agent.subscribe({ onEvent: ({ event }) => void (last = event) });
  agent.addMessage({ id: 'm1', role: 'user', content: 'soup' });
  await agent.runAgent();
  const [open] = last.outcome.interrupts;
  const { result } = await agent.runAgent({ resume: [{ interruptId: open.id, status: 'resolved', payload: 'water' }] });
  return result;
};

globalThis.listTools = async (url, headers) => {
  const client = new Client({ name: 'page', version: '1.0.0' }, { capabilities: {} });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
};

globalThis.post = async (url, { headers, ...more } = {}) => {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{"dish":"x"}', ...more });
  return { status: response.status, requestId: response.headers.get('x-request-id') };
};

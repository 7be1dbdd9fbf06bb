// The MCP TypeScript SDK, with the revision of 2026.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ANSWER, MCP, tell } from './report.mjs';

const client = new Client({ name: 'clients', version: '1.0.0' }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } });
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: ANSWER }));
await client.connect(new StreamableHTTPClientTransport(new globalThis.URL(MCP)));
const call = async (name, args) => (await client.callTool({ name, arguments: args })).content[0].text;
tell('@modelcontextprotocol/client', {
  discover: `${client.getServerVersion().name} ${client.getNegotiatedProtocolVersion()}`,
  list: (await client.listTools()).tools.map(({ name }) => name),
  call: await call('greet', { name: 'Ada' }),
  refuse: await call('add', { a: 'x' }),
  answer: await call('paint', {}),
});

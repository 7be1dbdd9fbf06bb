// The MCP TypeScript SDK of the first generation, with the revision of 2025.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ANSWER, MCP, tell } from './report.mjs';

const client = new Client({ name: 'clients', version: '1.0.0' }, { capabilities: { elicitation: { form: {} } } });
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: ANSWER }));
await client.connect(new StreamableHTTPClientTransport(new globalThis.URL(MCP)));
const call = async (name, args) => (await client.callTool({ name, arguments: args })).content[0].text;
tell('@modelcontextprotocol/sdk', {
  discover: client.getServerVersion().name,
  list: (await client.listTools()).tools.map(({ name }) => name),
  call: await call('greet', { name: 'Ada' }),
  refuse: await call('add', { a: 'x' }),
  answer: await call('paint', {}),
});

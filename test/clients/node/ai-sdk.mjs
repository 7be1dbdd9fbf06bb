// The AI SDK's MCP client: tools as its models call them.
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { ANSWER, MCP, tell } from './report.mjs';

const client = await createMCPClient({ transport: { type: 'http', url: MCP }, capabilities: { elicitation: {} } });
client.onElicitationRequest(ElicitationRequestSchema, () => ({ action: 'accept', content: ANSWER }));
const tools = await client.tools();
const call = async (name, args) => JSON.stringify(await tools[name].execute(args, { toolCallId: '1', messages: [] }));
tell('@ai-sdk/mcp', {
  discover: client.serverInfo?.name,
  list: Object.keys(tools),
  call: await call('greet', { name: 'Ada' }),
  refuse: await call('add', { a: 'x' }),
  answer: await call('paint', {}),
});

import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Agent, skill, SkillInvocationError } from '@svc/sdk';
import { server } from './server.ts';

// In place of stdio: the server runs in the agent's own process.
const [here, there] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'stock-agent', version: '0.1.0' });
await Promise.all([server.connect(there), client.connect(here)]);
const { tools } = await client.listTools();

export class Stock extends Agent {
  name = 'stock';
  description = 'What a shop has in stock.';
  version = '0.1.0';

  constructor() {
    super();
    const skills = tools.map(({ name, description = name, inputSchema, outputSchema }) => [
      name,
      skill({ description, inputSchema, ...(outputSchema && { outputSchema }) }, async (_ctx, args) => call(name, args)),
    ]);
    Object.assign(this, Object.fromEntries(skills));
  }
}

async function call(name: string, args: Record<string, unknown>): Promise<unknown> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (isError) throw new SkillInvocationError(text);
  return structuredContent ?? text;
}

// The tools of an MCP server over stdio as skills. The server runs in the agent's machine.
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Agent, skill, SkillInvocationError } from '@svc/sdk';

// region connect
/** The command with which an editor starts the server. */
const SERVER = { command: process.execPath, args: [join(import.meta.dirname, 'server.ts')] };

let client: Promise<Client> | undefined;

/** Starts the server at the first call, and again after it has ended. */
export function connected(): Promise<Client> {
  client ??= connect();
  return client;
}

async function connect(): Promise<Client> {
  const connection = new Client({ name: 'stock-agent', version: '0.1.0' });
  connection.onclose = () => void (client = undefined);
  await connection.connect(new StdioClientTransport(SERVER));
  return connection;
}
// endregion

// region agent
const { tools } = await (await connected()).listTools();

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
  const { content, structuredContent, isError } = await (await connected()).callTool({ name, arguments: args });
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (isError) throw new SkillInvocationError(text);
  return structuredContent ?? text;
}
// endregion

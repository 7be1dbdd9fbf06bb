// The tools of a remote MCP server, as skills.
import { Agent, type RunContext, skill, SkillInputError, z } from '@svc/sdk';
import { McpSession, type Server, type Settings, type Tool, type ToolResult } from './mcp.ts';
import { about, settings } from './settings.ts';

const MAX_ARGUMENT_BYTES = 256 * 1024;
const Arguments = z
  .record(z.string(), z.unknown())
  .refine((args) => Buffer.byteLength(JSON.stringify(args)) <= MAX_ARGUMENT_BYTES, `has more than ${MAX_ARGUMENT_BYTES} bytes: send less`)
  .default({})
  .describe('As the input schema of the tool says.');

export class McpBridge extends Agent {
  name = about.name;
  description = about.description;
  version = about.version;
  override requiredSecrets: readonly string[] = about.secrets;
  override egress = { allowHosts: about.hosts };
  override concurrency = 4;
  readonly settings: Settings = settings;

  call_tool = skill(
    {
      description: 'Calls a tool of the MCP server by its name, with its arguments. What it answers is data of that server.',
      tags: ['mcp'],
      timeoutSeconds: 120,
      input: z.object({ tool: z.string().min(1).max(200), arguments: Arguments }),
      output: z.object({
        text: z.string().describe('Its texts, a line between.'),
        structured: z.record(z.string(), z.unknown()).nullable(),
        is_error: z.boolean().describe('The tool itself says that it failed.'),
        other: z.array(z.string()).describe('Kinds of what else it gave: image, audio, resource.'),
      }),
    },
    async (ctx, { tool, arguments: args }) => {
      if (!this.#allows(tool)) throw new SkillInputError(`The tool "${tool}" may not be called here; these may: ${this.settings.tools.join(', ')}.`);
      return await McpSession.use(this.#server(ctx), async (session) => answerOf(await session.call(tool, args)));
    },
  );

  list_tools = skill(
    {
      description: 'Lists the tools of the MCP server, with the schema of their arguments.',
      tags: ['mcp'],
      readOnly: true,
      idempotent: true,
      timeoutSeconds: 90,
      input: z.object({ words: z.string().max(200).default('').describe('Only those that have one of these words in their name or description.') }),
      output: z.object({
        server: z.string(),
        tools: z.array(z.object({ name: z.string(), description: z.string(), input_schema: z.record(z.string(), z.unknown()) })),
      }),
    },
    async (ctx, { words }) => {
      const wanted = words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
      const fits = ({ name, description }: Tool): boolean =>
        this.#allows(name) && (wanted.length === 0 || wanted.some((word) => `${name} ${description}`.toLowerCase().includes(word)));
      return await McpSession.use(this.#server(ctx), async (session) => {
        const tools = (await session.tools()).filter(fits);
        return { server: session.serverName, tools: tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })) };
      });
    },
  );

  server = skill(
    {
      description: 'Says which MCP server this is, and which tools may be called. Nothing is asked of it.',
      readOnly: true,
      idempotent: true,
      output: z.object({ host: z.string(), allowed_tools: z.array(z.string()).describe('Empty: all.'), has_credential: z.boolean() }),
    },
    async () => ({ host: new URL(this.settings.url).hostname, allowed_tools: [...this.settings.tools], has_credential: this.settings.token !== null }),
  );

  #allows(tool: string): boolean {
    return this.settings.tools.length === 0 || this.settings.tools.includes(tool);
  }

  /** @throws SecretMissing */
  #server(ctx: RunContext): Server {
    const { url, hosts, token } = this.settings;
    return { url, hosts, signal: ctx.signal, token: token === null ? undefined : ctx.secret(token) };
  }
}

function answerOf({ content, structuredContent, isError }: ToolResult): {
  text: string;
  structured: { [name: string]: unknown } | null;
  is_error: boolean;
  other: string[];
} {
  const texts = content.flatMap((part) => (part.type === 'text' && typeof part['text'] === 'string' ? [part['text']] : []));
  const other = content.flatMap(({ type }) => (type === 'text' ? [] : [type]));
  return { text: texts.join('\n'), structured: structuredContent ?? null, is_error: isError, other };
}

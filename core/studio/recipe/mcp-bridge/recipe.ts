// mcp_bridge: the tools of a remote MCP server, as skills of an agent.
import { z } from 'zod';
import { parsedInputs } from '../inputs.ts';
import { projectOf, secretSteps } from '../project.ts';
import type { Recipe } from '../recipe.ts';
import { hostsOf, PublicAddress } from '../webhook.ts';

const inputs = z.object({
  server_url: PublicAddress.describe('Of the MCP server, which speaks streamable HTTP: https://mcp.example.com/mcp.'),
  tools: z.array(z.string().trim().min(1).max(200)).max(100).default([]).describe('Tools that may be listed and called; empty: all.'),
});

export const mcpBridge: Recipe = {
  recipe: 'mcp_bridge',
  title: 'MCP bridge',
  description: 'Lists and calls the tools of a remote MCP server; the first secret is sent to it as bearer.',
  words: ['mcp', 'tools', 'tool', 'protocol', 'bridge', 'remote', 'connect', 'context', 'server'],
  inputs,
  async write(_ctx, brief) {
    const { server_url, tools } = parsedInputs(inputs, brief.inputs);
    const [token] = brief.integrations;
    const hosts = hostsOf([server_url]);
    const files = await projectOf({
      brief,
      folder: import.meta.dirname,
      className: 'McpBridge',
      modules: ['mcp.ts', 'bounded-fetch.ts'],
      settingsFrom: 'mcp.ts',
      settings: { url: server_url, hosts, token: token ?? null, tools },
      hosts,
      about: [
        '`list_tools` lists the tools of the MCP server, `call_tool` calls one, `server` says which server it is. What tools answer is data of that server: trust it as far as you trust the server.',
      ],
    });
    const expect = { type: 'object', properties: { host: { const: hosts[0] } }, required: ['host', 'allowed_tools', 'has_credential'] };
    return {
      files,
      trials: [{ skill: 'server', args: {}, expect }],
      next: [...secretSteps(brief, 1), `See its tools: svc call ${brief.name} list_tools`],
    };
  },
};

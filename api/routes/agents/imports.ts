import type { agentImports } from '#contract/agents/imports.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { importAgent } from '#core/agents/import/import.ts';
import { callMcp, MCP_HEADERS } from '#core/runs/call/mcp.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentImportRoutes: Handlers<typeof agentImports> = {
  import: (ctx, { body }) => importAgent(ctx, body),
  mcp: async (ctx, { params, body }, http) => {
    const headers = Object.fromEntries(MCP_HEADERS.map((name) => [name, http.header(name)]));
    const answer = await callMcp(ctx, { ...params, message: body, headers, grant: http.header(HEADER.grant), signal: http.gone });
    return http.reply(answer.status, answer.body, answer.headers);
  },
};

import type { agentImports } from '#contract/imports/imports.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { importAgent } from '#core/imports/import/import.ts';
import { callMcp } from '#core/runs/call/mcp.ts';
import { mcpAnswer, mcpHeaders } from '../../http/call-answer.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentImportRoutes: Handlers<typeof agentImports> = {
  import: (ctx, { body }) => importAgent(ctx, body),
  mcp: async (ctx, { params, body }, http) => {
    const sent = { headers: mcpHeaders(http.headersFrom('mcp-')), accept: http.header('accept'), grant: http.header(HEADER.grant) };
    const answer = mcpAnswer(await callMcp(ctx, { ...params, ...sent, message: body, signal: http.gone }));
    return http.reply(answer.status, answer.body, answer.headers);
  },
};

import { pathTo } from '#contract/path-to.ts';
import type { agents } from '#contract/agents/agents.ts';
import { deleteAgent } from '#core/agents/agent/delete.ts';
import { getAgent, getMine } from '#core/agents/agent/get.ts';
import { listAgents, listMine, summarizeMine } from '#core/agents/agent/list.ts';
import { setReusePolicy, setVisibility } from '#core/agents/agent/visibility.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { describeInOpenApi } from '#core/agents/agent/openapi.ts';
import { registerAgent } from '#core/agents/agent/register.ts';
import { searchAgents } from '#core/agents/agent/search.ts';
import { createApiToken } from '#core/identity/api-token/create.ts';
import { listApiTokens } from '#core/identity/api-token/list.ts';
import { revokeApiToken } from '#core/identity/api-token/revoke.ts';
import { openDevBox } from '#core/identity/dev-box/open.ts';
import { createIntegrationLink } from '#core/identity/integration-link/create.ts';
import { listIntegrationLinks } from '#core/identity/integration-link/list.ts';
import { revokeIntegrationLink } from '#core/identity/integration-link/revoke.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { composeAgent } from '#core/deploys/compose/compose.ts';
import type { EndpointMethod } from '#contract/wire/endpoints.ts';
import { getAccountAccess } from '#core/money/account-access/get.ts';
import { callEndpoint } from '#core/runs/call/endpoint.ts';
import { callSkill } from '#core/runs/call/skill.ts';
import { acceptTarball } from '#core/deploys/deployment/accept.ts';
import { deploymentLogs, followDeployment, getDeployment, listDeployments } from '#core/deploys/deployment/read.ts';
import { createFromSource } from '#core/deploys/repository/create.ts';
import { deploySource } from '#core/deploys/repository/deploy.ts';
import { describeSource } from '#core/deploys/repository/describe.ts';
import { disableCodeEditor, enableCodeEditor, getCodeEditor } from '#core/deploys/repository/editor.ts';
import { readArtifact } from '#core/runs/artifact/read.ts';
import { startCallersRun } from '#core/runs/durable/start-by-caller.ts';
import { followRun, getRun } from '#core/runs/run/read.ts';
import type { Page } from '#core/kernel/page.ts';
import { skillAnswer } from '../../http/call-answer.ts';
import { endpointAnswer, endpointFault } from '../../http/endpoint-answer.ts';
import { fileAnswer } from '../../http/file-answer.ts';
import type { Handlers, Http } from '../../http/handlers.ts';
import { agentImportRoutes } from '../imports/imports.ts';
import { domainRoutes } from './domains.ts';
import { fromOpenApiRoutes } from '../imports/from-openapi.ts';
import { jobEvents, resumeAfter } from '../runs/job-events.ts';
import { upkeepRoutes } from '../deploys/upkeep.ts';

type EndpointInput = { params: { name: string; endpoint_name: string }; query: Record<string, unknown>; body?: Record<string, unknown> | null | undefined };

const endpoint =
  (method: EndpointMethod) =>
  async (ctx: Ctx, { params, query, body }: EndpointInput, http: Http) => {
    const called = await callEndpoint(ctx, { ...params, method, query, body, header: (name) => http.header(name), signal: http.gone }).catch(
      (error: unknown) => {
        throw endpointFault(error);
      },
    );
    const answer = endpointAnswer(ctx, called);
    return http.reply(answer.status, answer.body, answer.headers);
  };

export const agentRoutes: Handlers<typeof agents> = {
  ...upkeepRoutes,
  apiTokens: (ctx, { params }) => listApiTokens(ctx, params),
  createApiToken: (ctx, { params, body }) => createApiToken(ctx, { ...params, ...body }),
  revokeApiToken: (ctx, { params }) => revokeApiToken(ctx, params),
  ...domainRoutes,
  integrationLinks: (ctx, { params }) => listIntegrationLinks(ctx, params),
  createIntegrationLink: (ctx, { params, body }) => createIntegrationLink(ctx, { ...params, link: body }),
  revokeIntegrationLink: (ctx, { params }) => revokeIntegrationLink(ctx, params),
  accountAccess: (ctx, { params }) => getAccountAccess(ctx, params),
  compose: (ctx, { body }) => composeAgent(ctx, body),
  ssh: (ctx, { params, body }) => openDevBox(ctx, { ...params, ...body }),
  openapi: (ctx, { params }) => describeInOpenApi(ctx, params),
  apiOpenapi: (ctx, { params }) => describeInOpenApi(ctx, params),
  postEndpoint: endpoint('post'),
  patchEndpoint: endpoint('patch'),
  deleteEndpoint: endpoint('delete'),
  putEndpoint: endpoint('put'),
  ...agentImportRoutes,
  source: (ctx, { params }) => describeSource(ctx, params),
  fromSource: (ctx, { body }) => createFromSource(ctx, body),
  codeEditor: async (ctx, { params }, http) => http.reply(200, await getCodeEditor(ctx, params), { 'cache-control': 'no-store' }),
  enableCodeEditor: (ctx, { params }) => enableCodeEditor(ctx, params),
  disableCodeEditor: (ctx, { params }) => disableCodeEditor(ctx, params),
  ...fromOpenApiRoutes,
  register: (ctx, { body }) => registerAgent(ctx, body),
  list: async (ctx, { query }, http) => paged(http, `${pathTo('GET /v1/agents')}?limit=${query.limit}`, await listAgents(ctx, query)),
  fromTarball: (ctx, { body }) => acceptTarball(ctx, body),
  mine: async (ctx, { query }, http) => paged(http, `${pathTo('GET /v1/agents/mine')}?limit=${query.limit}`, await listMine(ctx, query)),
  mineSummary: (ctx) => summarizeMine(ctx),
  mineOne: (ctx, { params }) => getMine(ctx, params),
  setVisibility: (ctx, { params, body }) => setVisibility(ctx, { ...params, ...body }),
  setReusePolicy: (ctx, { params, body }) => setReusePolicy(ctx, { ...params, ...body }),
  search: (ctx, { query }) => searchAgents(ctx, query),
  get: (ctx, { params }) => getAgent(ctx, params),
  delete: (ctx, { params }) => deleteAgent(ctx, params),
  redeploy: (ctx, { params, query }) => deploySource(ctx, { ...params, ...query }),
  deployments: (ctx, { params, query }) => listDeployments(ctx, { ...params, ...query }),
  deployment: (ctx, { params }) => getDeployment(ctx, params),
  deploymentStream: async (ctx, { params }, http) =>
    jobEvents(await followDeployment(ctx, { ...params, after: resumeAfter(http.lastEventId), signal: http.signal })),
  deploymentLogs: (ctx, { params, query }) => deploymentLogs(ctx, { ...params, ...query }),
  invoke: async (ctx, { params, headers, body }, http) => {
    const performed = await callSkill(ctx, {
      ...params,
      args: body,
      accept: http.header('accept'),
      prefer: http.header('prefer'),
      key: headers['idempotency-key'],
      grant: http.header(HEADER.grant),
      signal: http.gone,
    });
    const answer = skillAnswer(performed);
    return http.reply(answer.status, answer.body, answer.headers);
  },
  startRun: (ctx, { params, headers, body }) => startCallersRun(ctx, { ...params, args: body, key: headers['idempotency-key'], grant: headers['svc-grant'] }),
  run: async (ctx, { params }, http) => {
    if (!http.header('accept')?.includes('text/event-stream')) return http.reply(200, await getRun(ctx, params));
    return http.reply(200, jobEvents(await followRun(ctx, { ...params, after: resumeAfter(http.lastEventId), signal: http.signal })));
  },
  file: async (ctx, { params, query }, http) => fileAnswer(http, await readArtifact(ctx, { ...params, ...query }), { download: true }),
};

/** The list itself is the body; the way to the next page is a Link header (RFC 8288). */
function paged<T>(http: Http, path: string, page: Page<T>) {
  return http.reply(200, page.items, page.next_cursor ? { link: `<${path}&cursor=${page.next_cursor}>; rel="next"` } : {});
}

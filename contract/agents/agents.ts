// Agents: registered, deployed from source, listed, found, called, retired.
import { z } from 'zod';
import { MAX_VALUE_BYTES } from '../wire/limits.ts';
import { accountAccess } from '../money/account-access.ts';
import { agentApiTokens } from '../identity/agent-api-tokens.ts';
import { compose } from '../deploys/compose.ts';
import { agentOpenApiRoutes } from './agent-openapi.ts';
import { devBox } from '../identity/dev-box.ts';
import { agentEndpoints } from '../runs/endpoints.ts';
import { AgentImportFacts, agentImports } from '../imports/imports.ts';
import { domains } from './domains.ts';
import { fromOpenApi } from '../imports/from-openapi.ts';
import { AgentFromTarballOut, DeploymentState } from '../deploys/from-tarball-out.ts';
import { integrationLinks, IntegrationTokenQuery } from '../identity/integration-links.ts';
import { reviewRuns } from '../quality/review-runs.ts';
import { selfHealing } from '../deploys/self-healing.ts';
import { upgrades } from '../deploys/upgrades.ts';
import { AgentFromSourceOut, agentSource, DEFAULT_BRANCH } from '../deploys/source.ts';
import { SkillPriceOut } from '../money/prices.ts';
import { bytes, eventStream, group, multipart, passthrough } from '../kit.ts';
import { AgentParams, cursorExample, Fault, IdempotencyKey, Instant } from '../shared.ts';
import { AgentCard } from '../wire/card.ts';
import { AgentName, SkillName } from '../wire/names.ts';
import { JobEventOut } from '../runs/work-ledger.ts';
import { FilePath } from '../workspace/files.ts';
import { RunId, RunOut } from '../runs/runs.ts';
import { AGENT_KINDS, LOG_STREAMS, REUSE_POLICIES, VISIBILITIES } from '../states.ts';

const Visibility = z.enum(VISIBILITIES).meta({ id: 'Visibility' });
const ReusePolicy = z.enum(REUSE_POLICIES).meta({ id: 'ReusePolicy', description: 'May others fork the source; independent of visibility.' });
export { AgentFromTarballOut };

const tags = z.array(z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'use up to 32 lower-case letters, digits and "-"')).max(16);
const description = z.string().max(2000);

export const AgentRegisterIn = z
  .strictObject({
    name: AgentName.meta({ description: 'Unique on the platform; the first label of its host name.' }),
    description: description.default(''),
    tags: tags.default([]),
    visibility: Visibility.default('unlisted'),
    reuse_policy: ReusePolicy.default('closed'),
  })
  .meta({ id: 'AgentRegisterIn' });

export const AgentFromSourceIn = AgentRegisterIn.omit({ visibility: true }).meta({ id: 'AgentFromSourceIn' });

const listed = {
  name: z.string(),
  description: z.string(),
  version: z.string().nullable().meta({ description: 'Version of the live deployment; null before the first.' }),
  visibility: Visibility,
  kind: z.enum(AGENT_KINDS),
  state: z.enum(['registered', 'deploying', 'live', 'failed']).meta({ description: 'live as long as a deployment serves, whatever a newer one does.' }),
  out_of_service: z.strictObject({ reason: z.string(), since: Instant }).nullable().meta({
    description:
      "Why the agent's health() took it out of service, in the agent's words, or why an imported agent does not answer; null: nothing keeps it from calls.",
  }),
  url: z.string().meta({ description: "The agent's own address." }),
  tags: z.array(z.string()),
  skills: z.array(z.string()),
  created_at: Instant,
  updated_at: Instant,
};

export const AgentOut = z.strictObject({ ...listed, mine: z.boolean() }).meta({ id: 'AgentOut' });

export const AgentDeploymentOut = z
  .strictObject({
    deploy_id: z.string(),
    agent: z.string(),
    number: z.int().min(1).meta({ description: "Counts the agent's deployments; they take effect in this order." }),
    state: DeploymentState,
    version: z.string().nullable(),
    job_id: z.string(),
    source_sha256: z.string(),
    source_bytes: z.int().min(0),
    source_commit: z.string().nullable(),
    image: z.string().nullable(),
    runs_on: z.string().nullable().meta({ description: 'The language and its version, e.g. Python 3.13.5; null: it is not built yet, or needs none.' }),
    warnings: z.array(Fault).meta({ description: 'What the agent still lacks, e.g. required secrets.' }),
    error: Fault.nullable(),
    waits_for: z.string().nullable().meta({
      description: 'What no worker takes, while it is under way, e.g. the work of a host whose worker is down. Null: nothing; in lists always.',
    }),
    created_at: Instant,
    live_at: Instant.nullable(),
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'AgentDeploymentOut' });

const prices = z.array(SkillPriceOut).meta({ description: 'What calls of its skills cost others than its owner; a skill that is not named costs nothing.' });
export const AgentDetailOut = z
  .strictObject({ ...listed, mine: z.boolean(), reuse_policy: ReusePolicy, card: AgentCard.nullable(), call_count: z.int().min(0), prices })
  .meta({ id: 'AgentDetailOut' });

export const AgentMineOut = z
  .strictObject({
    ...listed,
    reuse_policy: ReusePolicy,
    code_editor: z.boolean().meta({ description: 'The code editor is switched on.' }),
    live_deploy_id: z.string().nullable(),
    deploy_count: z.int().min(0),
    call_count: z.int().min(0),
    imported: AgentImportFacts.nullable().meta({ description: 'Only for an agent that runs elsewhere; null: it is not imported.' }),
    last_deployment: z.strictObject({ deploy_id: z.string(), state: DeploymentState, error: Fault.nullable(), created_at: Instant }).nullable(),
  })
  .meta({ id: 'AgentMineOut' });

export const AgentMineSummaryOut = z
  .strictObject({ name: z.string(), state: listed.state, visibility: Visibility, version: z.string().nullable(), url: z.string() })
  .meta({ id: 'AgentMineSummaryOut' });

export const AgentSearchOut = z
  .strictObject({ ...listed, mine: z.boolean(), score: z.number().meta({ description: 'Greater is better; comparable within one answer.' }) })
  .meta({ id: 'AgentSearchOut' });

const AgentVisibilityIn = z.strictObject({ visibility: Visibility }).meta({ id: 'AgentVisibilityIn' });
const AgentReusePolicyIn = z.strictObject({ reuse_policy: ReusePolicy }).meta({ id: 'AgentReusePolicyIn' });

const FromTarballForm = z
  .strictObject({
    name: AgentName.optional().meta({ description: 'Must be the name in svc.yaml when given.' }),
    public: z.enum(['true', 'false']).optional().meta({ description: 'Listing; absent: expose.public of svc.yaml, else as it is (a new agent is unlisted).' }),
    source: z.string().meta({ format: 'binary', description: 'The project, a gzipped tar; send it last.' }),
  })
  .meta({ id: 'Body_from_tarball_v1_agents_from_tarball_post' });

export const AgentDeploymentLogsOut = z
  .strictObject({
    deploy_id: z.string(),
    state: DeploymentState,
    lines: z.array(
      z.strictObject({
        at: Instant,
        source: z.enum(['build', 'agent', 'platform']),
        stream: z.enum(LOG_STREAMS),
        text: z.string(),
      }),
    ),
    cursor: z.string().meta({ description: 'Send it back to get only what came after.' }),
  })
  .meta({ id: 'AgentDeploymentLogsOut' });

const DeployId = z.string().regex(/^dep_[0-9a-f-]{36}$/, 'is not a deployment id');
const deployment = AgentParams.extend({ deploy_id: DeployId });
const list = z.object({
  limit: z.int().min(1).max(1000).default(1000),
  cursor: z
    .string()
    .max(1024)
    .optional()
    .meta({ description: 'From the Link header (rel="next") of the page before.', examples: [cursorExample(['greeter'])] }),
});

/** Two numbers: of the last event, of the next line of the agent's own. */
const LogCursor = z.string().regex(/^\d{1,9}\.\d{1,15}$/, 'take the cursor from the previous answer, unchanged');

export const agents = group({
  ...agentApiTokens,
  ...domains,
  ...integrationLinks,
  ...devBox,
  ...accountAccess,
  ...compose,
  ...agentOpenApiRoutes,
  ...agentEndpoints,
  ...agentImports,
  ...reviewRuns,
  ...selfHealing,
  ...upgrades,
  ...agentSource,
  ...fromOpenApi,
  register: {
    at: 'POST /v1/agents',
    summary: 'Reserve a name and describe the agent that will have it',
    scope: 'authenticated',
    body: AgentRegisterIn,
    out: AgentDetailOut,
    status: 201,
    errors: [400, 401, 402, 403, 409, 429, 500],
    limit: 'create',
  },
  list: {
    at: 'GET /v1/agents',
    summary: 'Agents visible to the caller: their own and the public ones, by name',
    scope: 'authenticated',
    query: list,
    out: z.array(AgentOut),
    pagesByLink: true,
    errors: [400, 401, 403],
  },
  fromSource: {
    at: 'POST /v1/agents/from-source',
    summary: 'Make an agent with an empty repository for its source',
    description: `A push to ${DEFAULT_BRANCH} deploys it. Until then it is registered and serves nothing.`,
    scope: 'authenticated',
    body: AgentFromSourceIn,
    out: AgentFromSourceOut,
    status: 201,
    errors: [400, 401, 402, 403, 409, 429],
    limit: 'create',
  },
  fromTarball: {
    at: 'POST /v1/agents/from-tarball',
    summary: 'Deploy a project: the source is kept, then built, started and verified by a job',
    scope: 'authenticated',
    body: multipart(FromTarballForm),
    out: AgentFromTarballOut,
    status: 201,
    errors: [400, 401, 402, 403, 409, 413, 429, 500, 502],
    limit: 'deploy',
  },
  mine: {
    at: 'GET /v1/agents/mine',
    summary: 'Agents owned by the caller, by name',
    scope: 'authenticated',
    query: list,
    out: z.array(AgentMineOut),
    pagesByLink: true,
    errors: [400, 401, 403],
  },
  mineSummary: {
    at: 'GET /v1/agents/mine/summary',
    summary: 'Agents owned by the caller, with fewer fields',
    scope: 'authenticated',
    out: z.array(AgentMineSummaryOut),
    errors: [401, 403],
  },
  mineOne: {
    at: 'GET /v1/agents/mine/{name}',
    summary: 'One agent of the caller',
    scope: 'authenticated',
    params: AgentParams,
    out: AgentMineOut,
    errors: [400, 401, 403, 404],
  },
  setVisibility: {
    at: 'PATCH /v1/agents/mine/{name}/visibility',
    summary: 'Publish or unlist without rebuilding',
    description: '409 when an agent that never went live is to be published.',
    scope: 'authenticated',
    params: AgentParams,
    body: AgentVisibilityIn,
    out: AgentMineOut,
    errors: [401, 403, 404, 409],
  },
  setReusePolicy: {
    at: 'PATCH /v1/agents/mine/{name}/reuse-policy',
    summary: 'Allow or forbid that others fork the source',
    scope: 'authenticated',
    params: AgentParams,
    body: AgentReusePolicyIn,
    out: AgentMineOut,
    errors: [401, 403, 404],
  },
  enableCodeEditor: {
    at: 'POST /v1/agents/{name}/code-editor',
    summary: 'Switch the code editor on',
    description: '409 for an agent whose source is not kept here; 503 while source hosting is down.',
    scope: 'authenticated',
    params: AgentParams,
    out: AgentMineOut,
    errors: [401, 403, 404, 409, 502, 503],
  },
  disableCodeEditor: {
    at: 'DELETE /v1/agents/{name}/code-editor',
    summary: 'Switch the code editor off; its tokens end at once',
    scope: 'authenticated',
    params: AgentParams,
    out: AgentMineOut,
    errors: [401, 403, 404],
  },
  search: {
    at: 'GET /v1/agents/search',
    summary: 'Find agents by words, tags and skills',
    scope: 'authenticated',
    query: z.object({
      q: z.string().max(500).default(''),
      tag: z.array(z.string().max(64)).nullable().optional(),
      skill: z.string().max(128).nullable().optional(),
      limit: z.int().min(1).max(25).default(8),
    }),
    out: z.array(AgentSearchOut),
    errors: [401, 403],
  },
  get: {
    at: 'GET /v1/agents/{name}',
    summary: 'An agent and its card',
    scope: 'authenticated',
    params: AgentParams,
    out: AgentDetailOut,
    errors: [401, 403, 404],
  },
  delete: {
    at: 'DELETE /v1/agents/{name}',
    summary: "Retire an agent: it stops at once; its receipts stay and its name stays its owner's",
    scope: 'authenticated',
    params: AgentParams,
    status: 204,
    errors: [401, 403, 404, 409],
  },
  redeploy: {
    at: 'POST /v1/agents/{name}/source/deploy',
    summary: 'Deploy source that is here already: the head of its repository, or that of an earlier deployment',
    description:
      'With deploy_id the agent goes back to that deployment: its image where it is kept, else built again. 409 while a deployment is under way, and where what was pushed is no project that can be deployed.',
    scope: 'authenticated',
    params: AgentParams,
    query: z.object({
      deploy_id: DeployId.optional().meta({
        description: 'The deployment whose source is returned. Absent: the head of the default branch, or the source of the newest deployment.',
      }),
    }),
    out: AgentFromTarballOut,
    errors: [401, 403, 404, 409, 429, 502],
    limit: 'deploy',
  },
  deployments: {
    at: 'GET /v1/agents/{name}/deployments',
    summary: 'Deployments, newest first',
    scope: 'authenticated',
    params: AgentParams,
    query: z.object({ limit: z.int().min(1).max(200).default(50) }),
    out: z.array(AgentDeploymentOut),
    errors: [401, 403, 404],
  },
  deployment: {
    at: 'GET /v1/agents/{name}/deployments/{deploy_id}',
    summary: 'One deployment',
    scope: 'authenticated',
    params: deployment,
    out: AgentDeploymentOut,
    errors: [401, 403, 404],
  },
  deploymentStream: {
    at: 'GET /v1/agents/{name}/deployments/{deploy_id}/stream',
    summary: 'Stages and log lines of a deployment as they happen',
    description: 'Server-sent events of its job: stage, log, job.*; Last-Event-ID resumes. Ends when the deployment is live, failed or cancelled.',
    scope: 'authenticated',
    params: deployment,
    out: eventStream(JobEventOut),
    errors: [401, 403, 404],
  },
  deploymentLogs: {
    at: 'GET /v1/agents/{name}/deployments/{deploy_id}/logs',
    summary: 'Build and runtime log lines of a deployment, oldest first',
    scope: 'authenticated',
    params: deployment,
    query: z.object({
      tail: z.int().min(1).max(2000).default(200),
      cursor: LogCursor.optional().meta({ description: 'Cursor of the previous answer.', examples: ['1.4096'] }),
    }),
    out: AgentDeploymentLogsOut,
    errors: [401, 403, 404],
  },
  invoke: {
    at: 'POST /v1/agents/{name}/api/invoke/{skill_name}',
    summary: 'Call a skill',
    description:
      "The agent's own answer, JSON or server-sent events for a streaming skill. Header x-svc-receipt-id names the receipt; a stream carries it in its last event. A skill that asks a person answers a caller of JSON with 202 and the run (RunOut: what it asks, where to answer) at once, or after `Prefer: wait=N` seconds (300 at most); a stream stays open. From then on the run continues without its caller. A skill that fails answers with the code, message and issues of its agent, 502 where the agent said 500. With an idempotency-key the call is a durable run, which does not end with its caller: requests with the same key get the answer of one run, with other arguments they are 409; one that takes longer than its skill may is 202. It is for signed-in users and running skills.",
    scope: 'authenticated',
    runs: true,
    agentTokens: true,
    defers: true,
    params: AgentParams.extend({ skill_name: SkillName }),
    query: IntegrationTokenQuery,
    headers: z.object({ 'idempotency-key': IdempotencyKey.optional() }),
    bodyBytes: MAX_VALUE_BYTES,
    body: z.record(z.string(), z.unknown()).meta({ description: "The skill's arguments by name." }),
    out: passthrough(z.unknown()),
    errors: [400, 401, 402, 403, 404, 409, 413, 500, 502, 503, 504],
  },
  startRun: {
    at: 'POST /v1/agents/{name}/api/runs/{skill_name}/start',
    summary: 'Start a durable run: it continues without its caller',
    description:
      'Answers at once. Arguments that do not fit the skill are 422, each with its path. Requests with the same idempotency-key start one run; with other arguments they are 409.',
    scope: 'authenticated',
    runs: true,
    params: AgentParams.extend({ skill_name: SkillName }),
    headers: z.object({
      'idempotency-key': IdempotencyKey.optional(),
      'svc-grant': z.string().max(65_536).optional().meta({ description: 'A grant token to pass on to the agent.' }),
    }),
    bodyBytes: MAX_VALUE_BYTES,
    body: z.record(z.string(), z.unknown()).meta({ description: "The skill's arguments by name." }),
    out: RunOut,
    status: 202,
    errors: [400, 401, 402, 403, 404, 409, 413, 500],
  },
  run: {
    at: 'GET /v1/agents/{name}/api/runs/{run_id}',
    summary: 'Read the state of a run; with Accept: text/event-stream its events',
    description:
      'Only for the user on whose behalf it runs, and the run that started it; not for the owner of the agent. The events are those of its job: `run.<kind>` come from the agent, `wait.*` and `job.*` from the platform. The id is the sequence number, so Last-Event-ID resumes without a gap, and the stream ends after the last one.',
    scope: 'authenticated',
    runs: true,
    params: AgentParams.extend({ run_id: RunId }),
    out: passthrough(RunOut),
    errors: [401, 403, 404, 409],
  },
  file: {
    at: 'GET /v1/agents/{name}/api/files/{path:path}',
    summary: 'Fetch an artifact of a run: `<run_id>/<name>`',
    description:
      'For the user the run worked for and the owner of the agent; with the `token` of its uri (ArtifactRef) for every holder, until it expires (410). Kept for 90 days. Ranges and conditions as RFC 9110 has them.',
    scope: 'authenticated',
    runs: true,
    linked: true,
    params: AgentParams.extend({ path: FilePath }),
    query: z.object({ token: z.string().min(1).max(128).optional() }),
    out: bytes('*/*'),
    ranges: true,
    errors: [401, 403, 404, 410, 412, 416],
  },
});

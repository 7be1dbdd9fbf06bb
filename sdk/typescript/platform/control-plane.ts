// The platform as a deployed agent has it: every request of a run goes to the control plane's /run/v1 with
// the credential that came with the call.
import { z } from 'zod';
import { FileType } from '../../../contract/wire/card.ts';
import { AgentCard } from '../../../contract/wire/card.ts';
import { ArtifactRef, CalledWait } from '../../../contract/wire/events.ts';
import { callTo } from '../../../contract/path-to.ts';
import { fromBase64Url } from '../../../contract/wire/base64url.ts';
import { Grant } from '../../../contract/wire/grant.ts';
import type { AgentQuery, DiscoveredAgent, FileMatch, Patch } from '../authoring/context.ts';
import { CallFailed } from '../authoring/errors.ts';
import type { Access, RunIdentity, RunPlatform, RunServices, Settled } from '../runtime/platform.ts';
import { gatewayEndpoint, httpModels } from '../llm/http.ts';
import { A2AClient } from './a2a-client.ts';
import { remoteCaller } from './control-plane-caller.ts';
import { remoteMemory } from './control-plane-memory.ts';
import { remoteMetaRuns, trackRemote } from './control-plane-meta-runs.ts';
import { remoteSandbox } from './control-plane-sandbox.ts';
import { remoteTask } from './control-plane-tasks.ts';
import { platformBytes, platformJson, PlatformError, type PlatformRequest } from './run-client.ts';
import { PATCH_OPERATIONS, PATCH_STATES } from '../../../contract/states.ts';

export interface ControlPlaneOptions {
  /** SVC_CP_URL: `https://svc.example.com` */
  url: string;
  /** SVC_GRANT_KEY: base64url, 32 bytes. Absent: no grant is accepted. */
  grantKey?: string | undefined;
  /** SVC_AGENTS_DOMAIN: what follows `<agent>.`; the run's credential is sent only to hosts under it. */
  agentsDomain?: string | undefined;
  /** SVC_AGENT_NAME: under which the platform knows the agent. Absent: the name of its card. */
  agentName?: string | undefined;
}

const DISCOVERY_TIMEOUT_SECONDS = 10;
const BYTES_TIMEOUT_SECONDS = 120;
const GIVE_UP_MS = 60_000;
/** An agent's address changes with its name only. */
const ADDRESS_TTL_MS = 60_000;
const MAX_ADDRESSES = 500;

// The answers, as loose as they may be: what a newer platform adds is not this SDK's business.
const Match = z.object({ path: z.string(), file_type: FileType.catch('other'), score: z.number(), summary: z.string().nullable(), size_bytes: z.number() });
const files = z.array(Match).default([]);
const AccessAnswer = z.discriminatedUnion('state', [
  z.object({ state: z.literal('approved'), grant_token: z.string(), files }),
  z.object({ state: z.literal('pending'), files }),
  z.object({ state: z.literal('denied'), reason: z.string(), files }),
]);
const Wait = z.object({ state: z.string(), answer: z.unknown().optional(), grant_token: z.string().optional(), reason: z.string().optional() });
const PatchAnswer = z.object({
  patch_id: z.string(),
  path: z.string(),
  operation: z.enum(PATCH_OPERATIONS),
  size_bytes: z.number(),
  sha256: z.string().nullable(),
  state: z.enum(PATCH_STATES),
  reason: z.string().nullable(),
});
const AgentDetails = z.object({ name: z.string(), url: z.string().nullable(), card: AgentCard });
const Waits = z.object({ waits: z.boolean(), open: z.array(CalledWait).default([]) });
const Delegated = z.object({ token: z.string() });

export function controlPlane({ url, grantKey, agentsDomain, agentName }: ControlPlaneOptions): RunPlatform {
  const base = url.replace(/\/+$/, '');
  const key = grantKey ? decodeKey(grantKey) : undefined;
  const addresses = new Map<string, { url: string; until: number }>();
  return {
    grantKey: () => key,
    agentName,
    attach: (run) => attach(run, { base, agentsDomain, addresses }),
    caller: (identity) => remoteCaller(base, identity),
    taskOf: (run, taskId) => remoteTask(base, run, taskId),
  };
}

interface Plane {
  base: string;
  agentsDomain: string | undefined;
  addresses: Map<string, { url: string; until: number }>;
}

function attach(run: RunIdentity, plane: Plane): RunServices {
  const json = <T>(request: PlatformRequest, model: z.ZodType<T>): Promise<T> => platformJson(plane.base, run, request, model);
  const bytes = (request: PlatformRequest): Promise<Uint8Array> => platformBytes(plane.base, run, request);

  const getAgent = async (name: string): Promise<DiscoveredAgent> => {
    const request = {
      ...callTo('GET /run/v1/agents/{name}', { name }),
      timeoutSeconds: DISCOVERY_TIMEOUT_SECONDS,
      what: 'getAgent()',
    } as const;
    try {
      return await json(request, AgentDetails);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.platformStatus !== 404) throw error;
      throw new CallFailed(`there is no agent "${name}" that this run may call`, { code: 'agent_not_found', status: 404 });
    }
  };
  const locate = async (name: string): Promise<string> => {
    const known = plane.addresses.get(name);
    if (known && known.until > Date.now()) return known.url;
    const { url } = await getAgent(name);
    if (url === null) throw new CallFailed(`the agent "${name}" has no address`, { code: 'agent_not_found', status: 404 });
    if (plane.addresses.size >= MAX_ADDRESSES) plane.addresses.clear();
    plane.addresses.set(name, { url, until: Date.now() + ADDRESS_TTL_MS });
    return url;
  };
  const client = new A2AClient({
    locate,
    bearer: (url) => (isAgentHost(url, plane) ? run.token : undefined),
    waits: (runId) => json({ ...callTo('GET /run/v1/calls/{run_id}/waits', { run_id: runId }), what: 'call()' }, Waits),
  });

  return {
    writeArtifact: (name, data, mimeType) =>
      json(
        {
          ...callTo('PUT /run/v1/artifacts/{name}', { name }),
          query: { mime_type: mimeType },
          bytes: data,
          timeoutSeconds: BYTES_TIMEOUT_SECONDS,
          what: 'writeArtifact()',
        },
        ArtifactRef,
      ),
    openQuestion: async ({ id, prompt, timeoutSeconds, schema, of = 'caller' }) => {
      const body = { question_id: id, prompt, timeout_seconds: timeoutSeconds, ...(schema && { schema }), ...(of !== 'caller' && { of }) };
      // The id makes it one question, however often it is sent.
      return settled(await json({ ...callTo('POST /run/v1/questions'), json: body, repeatable: true, what: 'ask()' }, Wait));
    },
    requestScope: async (id, token, asked) =>
      access(
        await json(
          {
            ...callTo('POST /run/v1/scope-requests'),
            json: {
              request_id: id,
              grant_token: token,
              reason: asked.reason,
              read: asked.read,
              write_prefix: asked.writePrefix,
              ttl_seconds: asked.ttlSeconds,
              mode: asked.mode,
              timeout_seconds: asked.timeoutSeconds,
            },
            repeatable: true,
            what: 'requestScope()',
          },
          AccessAnswer,
        ),
      ),
    giveUp: async (waitId) => {
      const path = `/run/v1/waits/${encodeURIComponent(waitId)}`;
      // A run that was stopped withdraws its questions too: not by its own signal.
      const asker = { ...run, signal: AbortSignal.timeout(GIVE_UP_MS) };
      const now = settled(await platformJson(plane.base, asker, { method: 'GET', path, what: 'ask()' }, Wait));
      // Still open: withdraw it. If it was answered meanwhile, that answer comes back.
      return now ?? settled(await platformJson(plane.base, asker, { method: 'DELETE', path, what: 'ask()' }, Wait)) ?? { state: 'expired' };
    },
    lookAtHandoff: async (waitId) => settled(await json({ ...callTo('GET /run/v1/waits/{wait_id}', { wait_id: waitId }), what: 'call()' }, Wait)),
    call: (target, skill, args, options) => client.call(target, skill, args, { ...options, signal: run.signal }),
    findAgents: ({ tags, capability, skill, limit = 10 }: AgentQuery) =>
      json(
        {
          ...callTo('GET /run/v1/agents'),
          query: {
            ...(tags && tags.length > 0 && { tags: tags.join(',') }),
            ...(capability && { capability }),
            ...(skill && { skill }),
            limit: String(limit),
          },
          timeoutSeconds: DISCOVERY_TIMEOUT_SECONDS,
          what: 'findAgents()',
        },
        z.array(AgentDetails),
      ),
    getAgent,
    memory: remoteMemory(run.agent, { json, bytes }),
    sharedMemory: remoteMemory(run.agent, { json, bytes }, true),
    models: httpModels(gatewayEndpoint(plane.base, run), () => process.env),
    metaRuns: remoteMetaRuns(run.agent, { json }),
    trackCall: (call) => trackRemote({ json }, call),
    workspace: {
      search: async (token, query, { types, limit }) => {
        const body = { grant_token: token, query, types, limit };
        const matches = await json({ ...callTo('POST /run/v1/workspace/search'), json: body, repeatable: true, what: 'workspace.search()' }, z.array(Match));
        return matches.map(match);
      },
      openView: async (id, token, view, timeoutSeconds) =>
        access(
          await json(
            {
              ...callTo('POST /run/v1/workspace/views'),
              json: {
                request_id: id,
                grant_token: token,
                purpose: view.purpose,
                hints: view.hints ?? [],
                file_types: view.fileTypes ?? [],
                max_files: view.maxFiles ?? 10,
                mode: view.mode ?? 'read_only',
                reason: view.reason ?? '',
                timeout_seconds: timeoutSeconds,
              },
              repeatable: true,
              what: 'workspace.openView()',
            },
            AccessAnswer,
          ),
        ),
      requestAccess: async (id, token, paths, { mode, reason, purpose }, timeoutSeconds) =>
        access(
          await json(
            {
              ...callTo('POST /run/v1/workspace/access'),
              json: { request_id: id, grant_token: token, files: paths, mode, reason, purpose, timeout_seconds: timeoutSeconds },
              repeatable: true,
              what: 'workspace.requestAccess()',
            },
            AccessAnswer,
          ),
        ),
      listGrants: () => json({ ...callTo('GET /run/v1/grants'), what: 'workspace.listGrants()' }, z.array(Grant)),
      delegate: async (token, delegation) => {
        const { audience, allowPatterns = ['**'], denyPatterns = [], mode = 'read_only', outputsPrefix = null, ttlSeconds = 300 } = delegation;
        const body = { audience, allow_patterns: allowPatterns, deny_patterns: denyPatterns, mode, outputs_prefix: outputsPrefix, ttl_seconds: ttlSeconds };
        const request = { ...callTo('POST /v1/workspace-grants/delegate'), json: body, grant: token ?? undefined, what: 'workspace.delegate()' } as const;
        return (await json(request, Delegated)).token;
      },
      read: (token, path) =>
        bytes({
          ...callTo('GET /v1/workspace-grants/files/{path:path}', { path: checkedPath(path) }),
          grant: token,
          timeoutSeconds: BYTES_TIMEOUT_SECONDS,
          what: 'view.read()',
        }),
      write: async (token, path, content) =>
        patch(
          await json(
            {
              ...callTo('PUT /v1/workspace-grants/files/{path:path}', { path: checkedPath(path) }),
              bytes: content,
              grant: token,
              timeoutSeconds: BYTES_TIMEOUT_SECONDS,
              what: 'view.write()',
            },
            PatchAnswer,
          ),
        ),
      delete: async (token, path) =>
        patch(
          await json(
            { ...callTo('DELETE /v1/workspace-grants/files/{path:path}', { path: checkedPath(path) }), grant: token, repeatable: false, what: 'view.delete()' },
            PatchAnswer,
          ),
        ),
      patches: async (token) => {
        const body = { grant_token: token };
        const request = { ...callTo('POST /run/v1/workspace/patches'), json: body, repeatable: true, what: 'view.patches()' } as const;
        return (await json(request, z.array(PatchAnswer))).map(patch);
      },
    },
    sandbox: remoteSandbox(run, { json, bytes }),
  };
}

/** The credential says who the run is; a host outside the platform would learn to speak for it. */
function isAgentHost(url: URL, { agentsDomain, base }: Plane): boolean {
  if (url.origin === new URL(base).origin) return true;
  if (!agentsDomain) return false;
  const [label, ...domain] = url.host.split('.');
  return label !== '' && domain.join('.') === withoutDefaultPort(agentsDomain, url.protocol) && url.protocol === new URL(base).protocol;
}

function withoutDefaultPort(domain: string, protocol: string): string {
  return domain.replace(protocol === 'https:' ? /:443$/ : /:80$/, '');
}

function decodeKey(text: string): Uint8Array {
  const key = fromBase64Url(text);
  if (key?.length !== 32) throw new Error('grantKey (SVC_GRANT_KEY) is not 32 bytes in base64url');
  return key;
}

function checkedPath(path: string): string {
  // "." and ".." would be taken away by the URL itself, and mean another file.
  if (path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new TypeError(`"${path}" is no path of a workspace: relative, "/" between names, no "." or ".."`);
  }
  return path;
}

function settled({ state, answer, grant_token: token, reason = '' }: z.infer<typeof Wait>): Settled | undefined {
  if (state === 'pending') return undefined;
  if (state === 'answered') return { state, answer: typeof answer === 'string' ? answer : JSON.stringify(answer ?? null) };
  if (state === 'approved') return token === undefined ? { state: 'allowed' } : { state, token };
  return state === 'denied' ? { state, reason } : { state: 'expired' };
}

function access(answer: z.infer<typeof AccessAnswer>): Access {
  const matches = answer.files.map(match);
  if (answer.state === 'approved') return { state: 'approved', token: answer.grant_token, files: matches };
  return answer.state === 'denied' ? { state: 'denied', reason: answer.reason, files: matches } : { state: 'pending', files: matches };
}

function match({ path, file_type: fileType, score, summary, size_bytes: sizeBytes }: z.infer<typeof Match>): FileMatch {
  return { path, fileType, score, summary, sizeBytes };
}

function patch({ patch_id: patchId, path, operation, size_bytes: sizeBytes, sha256, state, reason }: z.infer<typeof PatchAnswer>): Patch {
  return { patchId, path, operation, sizeBytes, sha256, state, reason };
}

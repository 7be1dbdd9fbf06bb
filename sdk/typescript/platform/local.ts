// The platform of an author's laptop and of tests, in one process: artifacts in memory, a folder as the
// workspace, questions answered by a callback or by POST /answers/{id}, other agents in memory or over HTTP.
// No sandbox: untrusted code needs a separate machine.
import { GRANT_TTL_SECONDS, type Grant } from '../../../contract/wire/grant.ts';
import type { OrganizationRole } from '../../../contract/states.ts';
import type { AgentQuery, Delegation, DiscoveredAgent, Recipient } from '../authoring/context.ts';
import { CallFailed, SandboxUnavailable, WorkspaceDenied, NotAvailable } from '../authoring/errors.ts';
import type { Access, RunIdentity, RunPlatform, RunServices } from '../runtime/platform.ts';
import { httpModels, ownEndpoint } from '../llm/http.ts';
import { scriptedModels, type LlmScript } from '../llm/scripted.ts';
import { A2AClient, type AgentCaller } from './a2a-client.ts';
import { Artifacts } from './local-artifacts.ts';
import { localCaller } from './local-caller.ts';
import { decideScope, type RequestedScope } from './local-scope.ts';
import { LocalMemories, NO_MEMORY } from './local-memory.ts';
import { requireRecipient } from './local-people.ts';
import { LocalMetaRuns } from './local-meta-runs.ts';
import { folderStore, memoryStore, type FileStore } from './local-store.ts';
import { grantIn, LocalWorkspaces } from './local-workspace.ts';

export interface LocalQuestion {
  questionId: string;
  agent: string;
  skill: string;
  prompt: string;
  of: Recipient;
}
/** Who may be asked beside caller and owner. */
export interface LocalPerson {
  email: string;
  id?: string;
  /** In the organization that owns the agent; absent: the agent gave them scopes. */
  role?: OrganizationRole;
}
export interface LocalScopeRequest extends RequestedScope {
  requestId: string;
  agent: string;
  skill: string;
  /** What is held so far. */
  held: Grant | null;
}

/** Agents that can be called by name. */
export interface LocalAgents extends AgentCaller {
  findAgents(query: AgentQuery): Promise<readonly DiscoveredAgent[]>;
  getAgent(name: string): Promise<DiscoveredAgent>;
}

export interface LocalOptions {
  /** A folder, or files by path; default: none. */
  workspace?: string | Readonly<Record<string, string | Uint8Array>> | undefined;
  /** Answers questions; undefined leaves one open for POST /answers/{id}, MCP or A2A, until it expires. */
  onQuestion?: ((question: LocalQuestion) => Promise<string | undefined> | string | undefined) | undefined;
  /**
   * Decides what the rules leave to a person: true, false, or the reason of a refusal; undefined leaves it
   * open.
   */
  onScopeRequest?: ((request: LocalScopeRequest) => Promise<boolean | string | undefined> | boolean | string | undefined) | undefined;
  /** Read-only, short and harmless requests are granted at once; default true. */
  autoApprove?: boolean | undefined;
  agents?: LocalAgents | undefined;
  /** Whom `ask` may name, by address, id or role; default: everybody. */
  people?: readonly LocalPerson[] | undefined;
  /**
   * Callers are told apart as on the platform: each has a memory of their own, and who is not known (`owner`
   * is empty) has none and cannot be asked.
   */
  apart?: boolean | undefined;
  /**
   * Answers for ctx.llm; default: OpenAI and Anthropic are asked, with OPENAI_API_KEY and ANTHROPIC_API_KEY
   * of the environment.
   */
  llm?: LlmScript | undefined;
}

export interface LocalPlatform extends RunPlatform {
  /** A grant for an agent, as the person of this machine would give it. */
  mintGrant(grant: Delegation): string;
  /** The workspace as committed runs left it. */
  readonly files: FileStore;
}

export function localPlatform(options: LocalOptions = {}): LocalPlatform {
  const { workspace = {} } = options;
  const store = typeof workspace === 'string' ? folderStore(workspace) : memoryStore(workspace);
  const workspaces = new LocalWorkspaces(store);
  const artifacts = new Artifacts();
  const memories = new LocalMemories();
  const metaRuns = new LocalMetaRuns();
  const http = new A2AClient();
  const models = options.llm ? scriptedModels(options.llm) : httpModels(ownEndpoint(process.env), () => process.env);
  const undecided = new Map<string, () => string>();

  const negotiate = async (run: RunIdentity, requestId: string, token: string | null, asked: RequestedScope): Promise<Access> => {
    const grant = token === null ? null : workspaces.check(run, token);
    const files = await workspaces.matchesOf(asked.read);
    const approve = (): string => workspaces.extend(run, grant, asked);
    if (decideScope(asked, run.policy, options.autoApprove ?? true) === 'approve') return { state: 'approved', token: approve(), files };
    // Not waited for here: the run learns that it waits, and others may decide first.
    undecided.set(requestId, approve);
    void decide(options, { ...asked, requestId, agent: run.agent, skill: run.skill, held: grant }).then((verdict) => {
      if (verdict === true) run.pending.resolveScope(requestId, { token: approve() });
      else if (verdict !== undefined) run.pending.resolveScope(requestId, { denied: typeof verdict === 'string' ? verdict : 'denied' });
    });
    return { state: 'pending', files };
  };

  const attach = (run: RunIdentity): RunServices => ({
    writeArtifact: async (name, data, mimeType) => artifacts.add(run, name, data, mimeType),
    openQuestion: async ({ id, prompt, of = 'caller' }) => {
      requireRecipient(options, run, of);
      void Promise.resolve(options.onQuestion?.({ questionId: id, agent: run.agent, skill: run.skill, prompt, of })).then(
        (answer) => answer !== undefined && run.pending.answer(id, answer, 'platform'),
        () => undefined,
      );
      return undefined;
    },
    requestScope: (id, token, asked) => negotiate(run, id, token, asked),
    giveUp: async (id) => {
      undecided.delete(id);
      return undefined;
    },
    // A laptop asks for no approval before a call.
    lookAtHandoff: () => Promise.reject(new NotAvailable('waiting for a decision about a call')),
    call: (target, skill, args, given) => {
      const byUrl = /^https?:\/\//.test(target);
      const client = byUrl || !options.agents ? http : options.agents;
      return client.call(target, skill, args, { ...given, signal: run.signal, chain: [...chainOf(run.token), `${run.agent}/${run.skill}`] });
    },
    findAgents: async (query) => (await options.agents?.findAgents(query)) ?? [],
    getAgent: async (name) => {
      if (options.agents) return await options.agents.getAgent(name);
      throw new CallFailed(`there is no agent "${name}" here: pass agents to localPlatform(), or call it by its URL`, { code: 'agent_not_found', status: 404 });
    },
    workspace: {
      ...workspaces.services(run),
      openView: async (id, token, view) => {
        const grant = grantIn(token);
        const query = [view.purpose, ...(view.hints ?? [])].join(' ');
        const picked = await workspaces.search(run.policy, grant, query, view.fileTypes ?? [], view.maxFiles ?? 10);
        if (picked.length === 0) throw new WorkspaceDenied(`no file fits "${view.purpose}"`);
        const read = picked.map(({ path }) => path);
        const access = await negotiate(run, id, token, requestedScope(read, view.reason ?? view.purpose, view.mode ?? 'read_only'));
        return { ...access, files: picked };
      },
      requestAccess: (id, token, files, { mode, reason }) => negotiate(run, id, token, requestedScope(files, reason, mode)),
    },
    sandbox: NO_SANDBOX,
    memory: options.apart === true ? (run.owner === '' ? NO_MEMORY : memories.of(run.agent, run.owner)) : memories.of(run.agent),
    sharedMemory: memories.sharedOf(run.agent),
    models,
    metaRuns: metaRuns.of(run.agent),
    // No record of calls is kept here.
    trackCall: async () => undefined,
    end: (outcome) => void workspaces.settle(run.runId, outcome).catch(() => undefined),
  });

  return {
    grantKey: (agent) => workspaces.keyOf(agent),
    attach,
    caller: (identity) => localCaller(identity, artifacts, workspaces),
    artifact: (runId, name) => artifacts.get(runId, name),
    listening: (_agent, url) => artifacts.servedAt(url),
    approve: (requestId) => undecided.get(requestId)?.(),
    mintGrant: (grant) => workspaces.mint(grant),
    files: store,
  };
}

function requestedScope(read: readonly string[], reason: string, mode: RequestedScope['mode']): RequestedScope {
  return { read, reason, mode, writePrefix: null, ttlSeconds: GRANT_TTL_SECONDS };
}

async function decide({ onScopeRequest }: LocalOptions, request: LocalScopeRequest): Promise<boolean | string | undefined> {
  try {
    return await onScopeRequest?.(request);
  } catch {
    return undefined;
  }
}

/** In memory a run's credential is the chain of calls that led to it. */
function chainOf(token: string | undefined): string[] {
  return token?.startsWith('local:') ? token.slice('local:'.length).split(' ') : [];
}

const NO_SANDBOX = {
  create: () => Promise.reject(new SandboxUnavailable()),
  get: () => Promise.reject(new SandboxUnavailable()),
  list: () => Promise.reject(new SandboxUnavailable()),
  remove: () => Promise.reject(new SandboxUnavailable()),
  runPython: () => Promise.reject(new SandboxUnavailable()),
  runShell: () => Promise.reject(new SandboxUnavailable()),
};

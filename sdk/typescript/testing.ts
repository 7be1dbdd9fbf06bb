/// <reference types="node" preserve="true" />
// @svc/sdk/testing: call an agent's skills in memory, with everything between caller and handler but the
// network.
import type { AgentCard } from '../../contract/wire/card.ts';
import { ArtifactRef, type AgentEvent } from '../../contract/wire/events.ts';
import type { Agent } from './authoring/agent.ts';
import type { Principal } from './authoring/auth.ts';
import { type Caller, principalOf, vouch } from './authoring/caller.ts';
import type { Delegation } from './authoring/context.ts';
import { isSkill, type SkillArgs, type SkillNames, type SkillResult } from './authoring/skill.ts';
import type { Entry } from './runtime/log.ts';
import type { RunPlatform } from './runtime/platform.ts';
import { createAgentServer } from './runtime/server.ts';
import type { LlmScript } from './llm/scripted.ts';
import { localPlatform, type LocalAgents, type LocalOptions } from './platform/local.ts';
import type { FileStore } from './platform/local-store.ts';

export { localPlatform, type LocalOptions } from './platform/local.ts';
export { InMemoryA2AClient } from './platform/in-memory.ts';
export type { LlmScript, ScriptedAnswer, ScriptedRequest } from './llm/scripted.ts';

export interface TestOptions {
  config?: unknown;
  secrets?: Readonly<Record<string, string>>;
  /** What the caller set for the agent (`consumerSetup`). */
  setup?: Readonly<Record<string, string | number | boolean>>;
  /** The caller; default: an unnamed one without scopes. */
  auth?: Principal;
  /**
   * Who calls, by the platform's word (`ctx.caller`): each has a memory of their own. Null: somebody who is
   * not signed in.
   */
  caller?: TestCaller | null;
  /** Whom `ctx.ask` may name, by address, id or role; default: nobody. */
  people?: LocalOptions['people'];
  /** default: localPlatform({ workspace, onQuestion, onScopeRequest … }) with what is given here */
  platform?: RunPlatform;
  /** Files the agent can be given access to, by path. */
  workspace?: LocalOptions['workspace'];
  /** Answers what the agent asks. */
  onQuestion?: LocalOptions['onQuestion'];
  /** Decides what the agent asks access for. */
  onScopeRequest?: LocalOptions['onScopeRequest'];
  autoApprove?: boolean;
  /** Other agents it may call by name. */
  agents?: LocalAgents;
  /** What language models answer: one after the other, or by the request. */
  llm?: LlmScript;
}

/** What is left out: a signed-in user without scopes. */
export type TestCaller = Partial<Caller> & { sub: string };

export interface TestResult<R> {
  result: R;
  events: readonly AgentEvent[];
  artifacts: readonly ArtifactRef[];
}

export interface TestAgent<A extends Agent> {
  agent: A;
  card: AgentCard;
  /** A grant token for the agent, to pass to invoke(). */
  mintGrant: (grant: Omit<Delegation, 'audience'>) => string;
  /** Bytes of an artifact it wrote. */
  artifact: (ref: ArtifactRef) => Uint8Array | undefined;
  /** The workspace, as runs that succeeded left it. */
  files: FileStore;
  /** What the agent logged so far. */
  log: readonly Entry[];
  /** @throws the errors a caller would see: SkillInputError, MissingScopes, SkillInvocationError … */
  invoke<K extends SkillNames<A>>(
    skill: K,
    args: SkillArgs<A[K]>,
    options?: { auth?: Principal; caller?: TestCaller | null; signal?: AbortSignal; grant?: string },
  ): Promise<TestResult<SkillResult<A[K]>>>;
  shutdown: () => Promise<void>;
}

/** `const agent = testAgent(Greeter); expect((await agent.invoke('greet', { name: 'Ada' })).result)…` */
export function testAgent<A extends Agent>(source: new () => A, options: TestOptions = {}): TestAgent<A> {
  const log: Entry[] = [];
  const agent = new source();
  const { config, secrets, setup, platform, workspace, onQuestion, onScopeRequest, autoApprove, agents, llm, people = [] } = options;
  const local = localPlatform({ workspace, onQuestion, onScopeRequest, autoApprove, agents, llm, people, apart: true });
  const { card, executor, heldGrant, shutdown } = createAgentServer(agent, {
    config,
    secrets,
    setup,
    onLog: (entry) => void log.push(entry),
    platform: platform ?? local,
  });
  return {
    agent,
    card,
    log,
    shutdown,
    files: local.files,
    mintGrant: (grant) => local.mintGrant({ ...grant, audience: card.name }),
    artifact: ({ uri }) => {
      const [runId = '', name = ''] = uri.split('/').slice(-2);
      return (platform ?? local).artifact?.(runId, decodeURIComponent(name))?.data;
    },
    invoke: async (skill, args, { auth = options.auth, caller = options.caller, signal, grant } = {}) => {
      const events: AgentEvent[] = [];
      const prepared = await executor.prepare(idOf(agent, skill), args, principalFor(auth, caller));
      const run = executor.start(prepared, {
        requestId: 'req_test',
        ...(caller !== undefined && { owner: caller?.sub ?? '' }),
        ...(grant !== undefined && { origin: { grant: heldGrant(grant) } }),
        sink: (kind, payload) => void events.push({ kind, payload: { ...payload } }),
      });
      signal?.addEventListener('abort', () => run.stop(), { once: true });
      const result = (await run.result) as SkillResult<A[typeof skill]>; // checked against the output model by the executor
      const artifacts = events.flatMap(({ kind, payload }) => (kind === 'artifact' ? [ArtifactRef.parse(payload)] : []));
      return { result, events, artifacts };
    },
  };
}

function principalFor(auth: Principal | undefined, caller: TestCaller | null | undefined): Principal {
  if (!caller) return auth ?? {};
  const whole: Caller = { ...A_USER, email: caller.sub.includes('@') ? caller.sub : null, ...caller };
  return auth ? vouch({ ...auth }, whole) : principalOf(whole);
}

const A_USER = { kind: 'user', userId: null, orgId: null, orgSlug: null, scopes: [], trusted: false, agent: null, onBehalfOf: null } as const;

/** The public name of the skill in a field. */
function idOf<A extends Agent>(agent: A, field: SkillNames<A>): string {
  const value: unknown = agent[field];
  return (isSkill(value) ? value.declaration.name : undefined) ?? field;
}

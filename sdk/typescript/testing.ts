/// <reference types="node" preserve="true" />
// @svc/sdk/testing: call an agent's skills in memory, with everything between caller and handler but the network.
import type { AgentCard } from '../../contract/wire/card.ts';
import type { AgentEvent } from '../../contract/wire/events.ts';
import type { Agent } from './authoring/agent.ts';
import type { Principal } from './authoring/auth.ts';
import { isSkill, type SkillArgs, type SkillNames, type SkillResult } from './authoring/skill.ts';
import type { Entry } from './runtime/log.ts';
import type { RunPlatform } from './runtime/platform.ts';
import { createAgentServer } from './runtime/server.ts';

export interface TestOptions {
  config?: unknown;
  secrets?: Readonly<Record<string, string>>;
  /** Who calls; default: nobody in particular, with no scopes. */
  auth?: Principal;
  platform?: RunPlatform;
}

export interface TestResult<R> {
  result: R;
  events: readonly AgentEvent[];
}

export interface TestAgent<A extends Agent> {
  agent: A;
  card: AgentCard;
  /** What the agent logged so far. */
  log: readonly Entry[];
  /** @throws the errors a caller would see: SkillInputError, MissingScopes, SkillInvocationError … */
  invoke<K extends SkillNames<A>>(
    skill: K,
    args: SkillArgs<A[K]>,
    options?: { auth?: Principal; signal?: AbortSignal },
  ): Promise<TestResult<SkillResult<A[K]>>>;
  shutdown: () => Promise<void>;
}

/** `const agent = testAgent(Greeter); expect((await agent.invoke('greet', { name: 'Ada' })).result)…` */
export function testAgent<A extends Agent>(source: new () => A, options: TestOptions = {}): TestAgent<A> {
  const log: Entry[] = [];
  const agent = new source();
  const { config, secrets, platform } = options;
  const { card, executor, shutdown } = createAgentServer(agent, {
    config,
    secrets,
    onLog: (entry) => void log.push(entry),
    ...(platform && { platform }),
  });
  return {
    agent,
    card,
    log,
    shutdown,
    invoke: async (skill, args, { auth = options.auth ?? {}, signal } = {}) => {
      const events: AgentEvent[] = [];
      const prepared = await executor.prepare(idOf(agent, skill), args, auth);
      const run = executor.start(prepared, {
        requestId: 'req_test',
        sink: (kind, payload) => void events.push({ kind, payload: { ...payload } }),
      });
      signal?.addEventListener('abort', () => run.stop(), { once: true });
      const result = (await run.result) as SkillResult<A[typeof skill]>; // checked against the output model by the executor
      return { result, events };
    },
  };
}

/** The public name of the skill in a field. */
function idOf<A extends Agent>(agent: A, field: SkillNames<A>): string {
  const value: unknown = agent[field];
  return (isSkill(value) ? value.declaration.name : undefined) ?? field;
}

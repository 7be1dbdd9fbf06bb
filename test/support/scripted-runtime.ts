// A runtime whose builds and starts do what a test tells them to, for the paths that are about the workflow
// and not the machine. What a machine really does is tested with real ones (x.vm.test.ts).
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import {
  RuntimeError,
  type AgentRuntime,
  type BuildInput,
  type InstanceStatus,
  type NetworkAnswer,
  type NetworkDenial,
  type NetworkQuestion,
  type RuntimeVersion,
  type StartInput,
} from '#drivers/runtime/port.ts';

export interface ScriptedRuntime extends AgentRuntime {
  /** Ids of builds in the order they began; one id again for each attempt. */
  builds: string[];
  /** What each was asked to build, without the source. */
  asked: Map<string, Omit<BuildInput, 'source'>>;
  /** Builds that have neither ended nor been cancelled. */
  open: Set<string>;
  running: Map<string, StartInput>;
  /** What the next build of this deployment ends with; until it is told, the build continues. */
  finish(buildId: string, result: 'ok' | RuntimeError): void;
  /** Resolves when that build has begun. */
  begun(buildId: string): Promise<void>;
  /** What agents answer as their card, by name. */
  cards: Map<string, unknown>;
  /** What its proxy refused by deny_external. */
  denied: NetworkDenial[];
  /** What connections ask, until it is answered; and what was answered. */
  questions: NetworkQuestion[];
  answers: NetworkAnswer[];
  /** Whether the platform wants to be asked. */
  asks: boolean | undefined;
  /** What `current` answers. */
  version: RuntimeVersion;
}

export function scriptedRuntime(): ScriptedRuntime {
  const events = new EventEmitter().setMaxListeners(0);
  const results = new Map<string, 'ok' | RuntimeError>();
  const runtime: ScriptedRuntime = {
    builds: [],
    asked: new Map(),
    open: new Set(),
    running: new Map(),
    cards: new Map(),
    denied: [],
    questions: [],
    answers: [],
    asks: undefined,
    version: { runtime: 'scripted', sdk: 'scripted' },
    current: async () => runtime.version,
    finish: (id, result) => {
      results.set(id, result);
      events.emit(`result:${id}`);
    },
    begun: async (id) => {
      if (!runtime.builds.includes(id)) await once(events, `begun:${id}`);
    },
    build: async ({ source, ...asked }, onLog, signal) => {
      const { build_id } = asked;
      source.destroy();
      runtime.asked.set(build_id, asked);
      runtime.builds.push(build_id);
      events.emit(`begun:${build_id}`);
      onLog({ at: Date.now(), stream: 'stdout', text: `building ${build_id}` });
      if (!results.has(build_id)) {
        runtime.open.add(build_id);
        await once(events, `result:${build_id}`, { signal })
          .catch(() => {
            throw new RuntimeError('cancelled', 'The build was cancelled');
          })
          .finally(() => runtime.open.delete(build_id));
      }
      const result = results.get(build_id);
      if (result instanceof RuntimeError) throw result;
      const runs_on = `${asked.language} ${asked.language_version ?? 'of the base image'}`;
      return { image: `sha256:${build_id}`, size_bytes: 1, cached: false, runs_on };
    },
    start: async (input) => {
      runtime.running.set(input.instance_id, input);
      return {
        instance_id: input.instance_id,
        runtime: runtime.version.runtime,
        card: runtime.cards.get(input.deployment_id) ?? runtime.cards.get(input.agent),
      };
    },
    stop: async (id) => void runtime.running.delete(id),
    sleep: async () => undefined,
    wake: async () => undefined,
    restrict: async (id, { deny_external }) => {
      const input = runtime.running.get(id);
      if (!input) throw new RuntimeError('not_found', `There is no instance ${id}.`);
      runtime.running.set(id, { ...input, egress: { ...input.egress, deny_external } });
    },
    networkDenials: async (after) => {
      if (after?.boot_id === 'scripted') runtime.denied = runtime.denied.filter(({ seq }) => seq > after.seq);
      return { boot_id: 'scripted', items: runtime.denied };
    },
    networkQuestions: async ({ ask, answers, wait_ms }) => {
      runtime.asks = ask;
      runtime.answers.push(...answers);
      const answered = new Set(answers.map(({ question_id }) => question_id));
      runtime.questions = runtime.questions.filter(({ question_id }) => !answered.has(question_id));
      if (runtime.questions.length === 0) await delay(Math.min(wait_ms, 50));
      return runtime.questions;
    },
    instances: async () => [...runtime.running.values()].map(status),
    logs: async () => [],
    address: (id) => ({ unix: `/nowhere/${id}.sock` }),
    keepOnly: async ({ instances }) => {
      const stopped = [...runtime.running.keys()].filter((id) => !instances.includes(id));
      for (const id of stopped) runtime.running.delete(id);
      return { stopped, deleted: [] };
    },
  };
  return runtime;
}

function status(i: StartInput): InstanceStatus {
  return {
    instance_id: i.instance_id,
    agent: i.agent,
    deployment_id: i.deployment_id,
    image: i.image,
    tier: 'awake',
    started_at: 0,
    last_used_at: 0,
    memory_bytes: 0,
  };
}

// Agents that call each other in one process, with everything between them but the network: for tests, and
// for several agents on a laptop.
import { MAX_CALL_DEPTH } from '../../../contract/wire/limits.ts';
import type { Agent, AgentClass } from '../authoring/agent.ts';
import type { Principal } from '../authoring/auth.ts';
import type { AgentQuery, CallResult, DiscoveredAgent } from '../authoring/context.ts';
import { CallFailed, CancelledByCaller, issuesIn, SvcError } from '../authoring/errors.ts';
import { readUncheckedGrant } from '../../../contract/crypto/grant-token.ts';
import { ArtifactRef, type AgentEvent } from '../../../contract/wire/events.ts';
import type { AgentCard } from '../../../contract/wire/card.ts';
import { createAgentServer, type AgentServer } from '../runtime/server.ts';
import type { Entry } from '../runtime/log.ts';
import { CALL_TIMEOUT_SECONDS, type A2ACallOptions } from './a2a-client.ts';
import { localPlatform, type LocalAgents, type LocalOptions, type LocalPlatform } from './local.ts';

export interface InMemoryOptions extends Omit<LocalOptions, 'agents'> {
  secrets?: Readonly<Record<string, string>>;
  /** The caller that callees see; default: an unnamed one. */
  auth?: Principal;
  onLog?: (entry: Entry) => void;
}

/**
 * Routes by agent name; each call is a run of its own. `await new
 * InMemoryA2AClient([Greeter]).call('greeter', 'greet', { name: 'Ada' })`
 */
export class InMemoryA2AClient implements LocalAgents {
  readonly platform: LocalPlatform;
  readonly #agents: Map<string, AgentServer>;
  readonly #auth: Principal;

  constructor(agents: readonly (AgentClass | Agent)[], { secrets, auth = {}, onLog = () => {}, ...local }: InMemoryOptions = {}) {
    this.platform = localPlatform({ ...local, agents: this });
    this.#auth = auth;
    const servers = agents.map((agent) => createAgentServer(agent, { platform: this.platform, secrets, onLog }));
    this.#agents = new Map(servers.map((server) => [server.card.name, server]));
  }

  async call(target: string, skill: string, args: Record<string, unknown>, options: A2ACallOptions = {}): Promise<CallResult> {
    const agent = this.#agents.get(target);
    if (!agent)
      throw new CallFailed(`there is no agent "${target}" here; there are: ${[...this.#agents.keys()].join(', ')}`, { code: 'agent_not_found', status: 404 });
    const chain = options.chain ?? [];
    bounded(chain, `${target}/${skill}`);
    const events: AgentEvent[] = [];
    try {
      const callerGrant = options.grant ? agent.heldGrant(options.grant) : undefined;
      const prepared = await agent.executor.prepare(skill, wire(args), this.#auth);
      const run = agent.executor.start(prepared, {
        requestId: 'req_memory',
        sink: (kind, payload) => void events.push({ kind, payload: { ...payload } }),
        origin: { runToken: `local:${chain.join(' ')}`, ...(callerGrant && { grant: callerGrant }) },
      });
      const result = wire(await within(run.result, (reason) => run.stop(reason), target, options));
      const artifacts = events.flatMap(({ kind, payload }) => (kind === 'artifact' ? [ArtifactRef.parse(payload)] : []));
      return { result, events, artifacts, grantId: (options.grant ? readUncheckedGrant(options.grant)?.grant_id : undefined) ?? null };
    } catch (error) {
      throw asCallFailed(error, target, skill, options.signal);
    }
  }

  async findAgents({ tags = [], capability, skill, limit = 10 }: AgentQuery = {}): Promise<readonly DiscoveredAgent[]> {
    const fits = (card: AgentCard): boolean =>
      tags.every((tag) => card.skills.some((one) => one.tags.includes(tag))) &&
      (!capability || capability in card.capabilities) &&
      (!skill || card.skills.some(({ id }) => id === skill));
    return [...this.#agents.values()]
      .filter(({ card }) => fits(card))
      .slice(0, limit)
      .map(({ card }) => ({ name: card.name, url: null, card }));
  }

  async getAgent(name: string): Promise<DiscoveredAgent> {
    const agent = this.#agents.get(name);
    if (!agent) throw new CallFailed(`there is no agent "${name}" here`, { code: 'agent_not_found', status: 404 });
    return { name, url: null, card: agent.card };
  }

  async shutdown(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.shutdown()));
  }
}

function bounded(chain: readonly string[], next: string): void {
  if (chain.includes(next)) throw new CallFailed(`${next} is already in the chain of calls: ${chain.join(' → ')}`, { code: 'call_loop', status: 409 });
  if (chain.length >= MAX_CALL_DEPTH)
    throw new CallFailed(`calls are ${MAX_CALL_DEPTH} deep already: ${chain.join(' → ')}`, { code: 'call_depth_exceeded', status: 409 });
}

async function within<T>(
  work: Promise<T>,
  stop: (reason: SvcError) => void,
  target: string,
  { signal, timeoutSeconds = CALL_TIMEOUT_SECONDS }: A2ACallOptions,
): Promise<T> {
  const cancel = (): void => stop(new CancelledByCaller());
  const timeout = setTimeout(
    () => stop(new CallFailed(`${target} did not answer within ${timeoutSeconds} s`, { code: 'call_timeout', status: 0 })),
    timeoutSeconds * 1000,
  );
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  try {
    return await work;
  } finally {
    clearTimeout(timeout);
    signal?.removeEventListener('abort', cancel);
  }
}

function asCallFailed(error: unknown, target: string, skill: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (!(error instanceof SvcError) || (error instanceof CallFailed && error.calleeCode === 'call_timeout')) return error;
  const issues = issuesIn(error);
  return new CallFailed(`${target}/${skill}: ${error.message}`, { code: error.code, status: error.status, ...(issues && { issues }) });
}

/** What a network would leave of it. */
function wire<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T); // the same value, as JSON has it
}

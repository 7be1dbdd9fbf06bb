// Finding agents in the platform's registry, from outside a run. Inside one, ctx.findAgents() and
// ctx.getAgent() know more: what the run may call.
import { z } from 'zod';
import { pathTo } from '../../../contract/path-to.ts';
import { AgentCard } from '../../../contract/wire/card.ts';
import type { AgentQuery, DiscoveredAgent } from '../authoring/context.ts';
import { CallFailed } from '../authoring/errors.ts';

export interface DiscoveryOptions {
  /** `https://svc.example.com` */
  url: string;
  /** A platform token; without one the public agents are found. */
  bearer?: string;
  /** default 10 */
  timeoutSeconds?: number;
}

const Listed = z.object({ name: z.string(), url: z.string(), tags: z.array(z.string()), skills: z.array(z.string()) });
const Detail = z.object({ name: z.string(), url: z.string(), card: AgentCard.nullable() });
const Page = z.object({ items: z.array(Listed), next_cursor: z.string().nullable() });
export const MAX_BYTES = 16 * 1024 * 1024;
/** As many as a search answers; what comes after them is listed by name. */
const MAX_SEARCHED = 25;
/** Pages of public agents that are looked through for a rare one. */
export const MAX_PAGES = 10;

/** `new ControlPlaneDiscovery({ url }).findAgents({ skill: 'greet' })` */
export class ControlPlaneDiscovery {
  readonly #options: DiscoveryOptions;
  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  /** At most `limit` (10), best first. @throws CallFailed with code `unreachable` or `bad_answer` */
  async findAgents({ tags = [], capability, skill, limit = 10 }: AgentQuery = {}): Promise<readonly DiscoveredAgent[]> {
    const signal = this.#deadline();
    const agents: DiscoveredAgent[] = [];
    if (limit < 1) return agents;
    for await (const { name, tags: has, skills } of this.#listed(tags, skill ?? null, signal)) {
      if (!tags.every((tag) => has.includes(tag)) || (skill && !skills.includes(skill))) continue;
      const agent = await this.#get(name, signal);
      if (agent && (!capability || capability in agent.card.capabilities)) agents.push(agent);
      if (agents.length >= limit) break;
    }
    return agents;
  }

  /** @throws CallFailed with code `agent_not_found` */
  async getAgent(name: string): Promise<DiscoveredAgent> {
    const agent = await this.#get(name, this.#deadline());
    if (!agent) throw new CallFailed(`there is no agent "${name}" to be found, or it has never been deployed`, { code: 'agent_not_found', status: 404 });
    return agent;
  }

  async #get(name: string, signal: AbortSignal): Promise<DiscoveredAgent | undefined> {
    const path = this.#options.bearer === undefined ? pathTo('GET /v1/public/agents/{name}', { name }) : pathTo('GET /v1/agents/{name}', { name });
    const detail = await this.#read(path, Detail, signal);
    return detail?.card ? { name: detail.name, url: detail.url, card: detail.card } : undefined;
  }

  async *#listed(tags: readonly string[], skill: string | null, signal: AbortSignal): AsyncGenerator<z.infer<typeof Listed>> {
    if (this.#options.bearer !== undefined) {
      const query = new URLSearchParams({ limit: String(MAX_SEARCHED), ...(skill && { skill }) });
      for (const tag of tags) query.append('tag', tag);
      const best = (await this.#read(`${pathTo('GET /v1/agents/search')}?${query}`, z.array(Listed), signal)) ?? [];
      yield* best;
      if (best.length < MAX_SEARCHED) return;
      const names = new Set(best.map(({ name }) => name));
      const rest = (await this.#read(`${pathTo('GET /v1/agents')}?limit=1000`, z.array(Listed), signal)) ?? [];
      yield* rest.filter(({ name }) => !names.has(name));
      return;
    }
    let cursor: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = new URLSearchParams({ limit: '100', ...(tags[0] && { tag: tags[0] }), ...(cursor && { cursor }) });
      const answer: z.infer<typeof Page> | undefined = await this.#read(`${pathTo('GET /v1/public/agents')}?${query}`, Page, signal);
      yield* answer?.items ?? [];
      cursor = answer?.next_cursor ?? null;
      if (cursor === null) return;
    }
  }

  #deadline(): AbortSignal {
    return AbortSignal.timeout((this.#options.timeoutSeconds ?? 10) * 1000);
  }

  /** Undefined for 404. */
  async #read<T>(path: string, model: z.ZodType<T>, signal: AbortSignal): Promise<T | undefined> {
    const { url, bearer, timeoutSeconds = 10 } = this.#options;
    let status = 0;
    let body = '';
    try {
      const headers = { accept: 'application/json', ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) };
      const response = await fetch(url.replace(/\/+$/, '') + path, { headers, redirect: 'error', signal });
      status = response.status;
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        body += decoder.decode(chunk, { stream: true });
        if (body.length > MAX_BYTES) throw new Error('too long an answer');
      }
    } catch (error) {
      const why = signal.aborted ? `did not answer within ${timeoutSeconds} s` : 'cannot be reached';
      throw new CallFailed(`the registry at ${url} ${why}`, { code: 'unreachable', status: 0 }, { cause: error });
    }
    if (status === 404) return undefined;
    const parsed = status === 200 ? model.safeParse(parse(body)) : undefined;
    if (parsed?.success) return parsed.data;
    throw new CallFailed(`the registry at ${url} answered ${status}${status === 401 ? ': the bearer is not accepted' : ''}`, { code: 'bad_answer', status });
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

// ctx.metaRuns of a laptop and of tests: in memory, of the one person there is, by agent.
import { MAX_META_RUNS } from '../../../contract/wire/limits.ts';
import type { MetaRun, MetaRunChangeOptions, MetaRuns } from '../authoring/meta-runs.ts';
import { SkillInvocationError } from '../authoring/errors.ts';

const FINAL = new Set(['succeeded', 'failed', 'cancelled']);

export class LocalMetaRuns {
  readonly #agents = new Map<string, Map<string, MetaRun>>();

  of(agent: string): MetaRuns {
    let known = this.#agents.get(agent);
    if (!known) this.#agents.set(agent, (known = new Map()));
    return metaRunsOver(known);
  }
}

function metaRunsOver(known: Map<string, MetaRun>): MetaRuns {
  const changed = (before: MetaRun, change: MetaRunChangeOptions): MetaRun => {
    const after = structuredClone({ ...before, ...change, version: before.version + 1, updatedAt: new Date().toISOString() });
    const metaRun = { ...after, endedAt: FINAL.has(after.status) ? after.updatedAt : null };
    known.set(metaRun.id, metaRun);
    return metaRun;
  };
  return {
    create: async (goal, more = {}) => {
      if (known.size >= MAX_META_RUNS) throw new SkillInvocationError(`there are ${MAX_META_RUNS} goals, the most that are kept`);
      const at = new Date().toISOString();
      const made = { id: `mrn_${crypto.randomUUID()}`, goal, criteria: [], plan: {}, progress: {}, status: 'planning', createdAt: at, updatedAt: at } as const;
      return changed({ ...made, version: 0, endedAt: null }, more);
    },
    get: async (id) => known.get(id),
    list: async ({ state = 'all', limit = 20, cursor } = {}) => {
      const all = [...known.values()].reverse().filter(({ endedAt }) => state === 'all' || endedAt === null);
      const from = cursor ? all.findIndex(({ id }) => id === cursor) + 1 : 0;
      const items = all.slice(from, from + limit);
      return { items, nextCursor: from + limit < all.length ? (items.at(-1)?.id ?? null) : null };
    },
    update: async (id, version, change) => {
      const before = known.get(id);
      if (!before) throw new SkillInvocationError(`there is no meta-run ${id}`, { status: 404 });
      if (before.endedAt !== null) throw new SkillInvocationError(`it has ended (${before.status}): start another one for the rest`, { status: 409 });
      return before.version === version ? changed(before, change) : undefined;
    },
  };
}

// ctx.metaRuns and ctx.trackCall over the control plane.
import { z } from 'zod';
import { callTo } from '../../../contract/path-to.ts';
import type { TrackCallOptions, MetaRun, MetaRuns } from '../authoring/meta-runs.ts';
import { type MemoryTransport, unless } from './control-plane-memory.ts';
import { META_RUN_STATES } from '../../../contract/states.ts';

const object = z.record(z.string(), z.unknown());
const Wire = z.object({
  run_id: z.string(),
  goal: z.string(),
  criteria: z.array(z.string()),
  plan: object,
  progress: object,
  status: z.enum(META_RUN_STATES),
  version: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
  ended_at: z.string().nullable(),
});
const Page = z.object({ items: z.array(Wire), next_cursor: z.string().nullable() });

export function remoteMetaRuns(name: string, { json }: Pick<MemoryTransport, 'json'>): MetaRuns {
  return {
    create: async (goal, more = {}) =>
      metaRunOf(await json({ ...callTo('POST /v1/agents/{name}/meta-runs', { name }), json: { goal, ...more }, what: 'metaRuns.create()' }, Wire)),
    get: (id) =>
      unless(
        'meta_run_not_found',
        json({ ...callTo('GET /v1/agents/{name}/meta-runs/{run_id}', { name, run_id: id }), what: 'metaRuns.get()' }, Wire).then(metaRunOf),
      ),
    list: async ({ state = 'all', limit = 20, cursor } = {}) => {
      const query = { state, limit: String(limit), cursor: cursor ?? undefined };
      const page = await json({ ...callTo('GET /v1/agents/{name}/meta-runs', { name }), query, what: 'metaRuns.list()' }, Page);
      return { items: page.items.map(metaRunOf), nextCursor: page.next_cursor };
    },
    // Sent twice it would find its own first time.
    update: (id, version, change) =>
      unless(
        'version_conflict',
        json(
          {
            ...callTo('PATCH /v1/agents/{name}/meta-runs/{run_id}', { name, run_id: id }),
            json: { version, ...change },
            repeatable: false,
            what: 'metaRuns.update()',
          },
          Wire,
        ).then(metaRunOf),
      ),
  };
}

export async function trackRemote({ json }: Pick<MemoryTransport, 'json'>, call: TrackCallOptions): Promise<void> {
  const { grant, skill, state, startedAt, endedAt = null, args, outputSha256 = null, errorCode = null } = call;
  const body = { grant, skill, state, started_at: startedAt, ended_at: endedAt, args, output_sha256: outputSha256, error_code: errorCode };
  // Reporting the same again changes nothing.
  await json({ ...callTo('POST /v1/me/subagent-runs/track'), json: body, repeatable: true, what: 'trackCall()' }, z.unknown());
}

function metaRunOf({ run_id, created_at, updated_at, ended_at, ...same }: z.infer<typeof Wire>): MetaRun {
  return { id: run_id, ...same, createdAt: created_at, updatedAt: updated_at, endedAt: ended_at };
}

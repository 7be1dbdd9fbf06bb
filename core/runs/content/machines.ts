// The logs of an agent's machines, and the lines that name a run or a request.
import type { Knex } from 'knex';
import type { LogLine } from '#drivers/runtime/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';

/** Of the newest; those that serve come first. */
const MOST_MACHINES = 6;
const LINES_AT_ONCE = 10_000;

export async function instancesOf(db: Knex, of: { agent_id: string; deploy_id?: string }): Promise<string[]> {
  const rows = await db('instances').where(of).orderByRaw(`state = 'stopped', created_at desc`).limit(MOST_MACHINES).select('instance_id');
  return rows.map(({ instance_id }) => instance_id);
}

/** By id, of each the newest. Undefined: the host does not have the log any more. */
export async function linesNaming(
  { runtime }: Pick<Ctx['drivers'], 'runtime'>,
  instanceId: string,
  ids: readonly string[],
  most: number,
): Promise<Map<string, LogLine[]> | undefined> {
  const named = new Map<string, LogLine[]>();
  try {
    let after = -1;
    for (;;) {
      const lines = await runtime.logs(instanceId, { after, limit: LINES_AT_ONCE });
      for (const id of ids) {
        const more = lines.filter(({ text }) => text.includes(id));
        if (more.length > 0) named.set(id, [...(named.get(id) ?? []), ...more].slice(-most));
      }
      const last = lines.at(-1);
      if (last === undefined || lines.length < LINES_AT_ONCE) return named;
      after = last.seq;
    }
  } catch {
    return undefined;
  }
}

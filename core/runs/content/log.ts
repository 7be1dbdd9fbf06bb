// The log lines of runs that failed, kept beyond their machines: read from those once the runs have ended,
// bounded, and only for who owns the agent.
import type { LogLine } from '#drivers/runtime/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { instancesOf, linesNaming } from './machines.ts';

type Line = Pick<LogLine, 'at' | 'stream' | 'text'>;

/** The newest of a run. */
const MOST_LINES = 200;
const MOST_CHARACTERS = 65_536;
const MOST_OF_A_LINE = 8_192;
/** Of one look; each machine is read once for all of them. */
const AT_ONCE = 200;
/** Its last words come a little after its answer. */
const SETTLED_MS = 1_000;
/** So long a host that does not answer may come back with its logs. */
const HOST_AWAY_MS = 600_000;

export async function storeDueLogs(ctx: Pick<Ctx, 'db' | 'drivers' | 'clock'>): Promise<void> {
  const due = await ctx
    .db('call_contents')
    .whereNull('log')
    .whereNotNull('log_until')
    .where('ended_at', '<', new Date(ctx.clock() - SETTLED_MS))
    .orderBy('ended_at')
    .limit(AT_ONCE)
    .select('run_id', 'agent_id', 'deploy_id', 'ended_at');
  for (const [deployId, runs] of Map.groupBy(due, ({ deploy_id }) => deploy_id)) {
    const ids = runs.map(({ run_id }) => run_id);
    const instances = await instancesOf(ctx.db, { agent_id: runs[0]?.agent_id ?? '', deploy_id: deployId });
    const perMachine = await Promise.all(instances.map((id) => linesNaming(ctx.drivers, id, ids, MOST_LINES)));
    const isAway = instances.length > 0 && perMachine.every((found) => found === undefined);
    for (const { run_id: id, ended_at } of runs) {
      if (isAway && ctx.clock() - Number(ended_at) < HOST_AWAY_MS) continue;
      const lines = perMachine.flatMap((found) => found?.get(id) ?? []).toSorted((a, b) => a.at - b.at);
      await ctx
        .db('call_contents')
        .where({ run_id: id })
        .whereNotNull('log_until')
        .update({ log: JSON.stringify(bounded(lines)) });
    }
  }
}

export function storedLines(log: string | null): Line[] {
  // Safe: written above.
  return log === null ? [] : (JSON.parse(log) as Line[]);
}

function bounded(lines: readonly LogLine[]): Line[] {
  let left = MOST_CHARACTERS;
  const newest: Line[] = [];
  for (const { at, stream, text } of lines.slice(-MOST_LINES).toReversed()) {
    const line = text.slice(0, MOST_OF_A_LINE).toWellFormed();
    left -= line.length;
    if (left < 0) break;
    newest.unshift({ at, stream, text: line });
  }
  return newest;
}

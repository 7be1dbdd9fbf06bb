// Where a task lives: a version that was replaced goes on with what it began, and who answers, reads or
// cancels it is led there. Only what the platform keeps says so, never the agent; whose the task is, the
// machine there checks again.
import type { Ctx } from '../../kernel/ctx.ts';
import { resolveInstance } from '../../agents/route/instance.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { ENDED_AS } from './of-caller.ts';

/** What a request names: ids of tasks, of runs that are tasks, and of questions. */
export interface Named {
  tasks: readonly string[];
  questions?: readonly string[];
}

/** What is written otherwise is the id of nothing. */
const ID = /^[\w-]{1,128}$/;

/** The live machine, unless what is named goes on in another one of the same agent. */
export async function routeOfTask<R extends AgentRoute>(ctx: Pick<Ctx, 'db' | 'drivers'>, route: R, named: Named): Promise<R> {
  const tasks = named.tasks.filter((id) => ID.test(id));
  const questions = (named.questions ?? []).filter((id) => ID.test(id));
  if (tasks.length + questions.length === 0) return route;
  const { rows } = await ctx.db.raw<{ rows: { deploy_id: string }[] }>(
    `select t.deploy_id from protocol_tasks t
     where t.agent_id = :agentId and t.state = 'open' and t.deploy_id <> :deployId and ${ENDED_AS} is null
       and (t.task_id = any(:tasks) or t.run_id = any(:tasks) or t.questions && :questions::text[]) limit 1`,
    { agentId: route.agentId, deployId: route.deployId, tasks, questions },
  );
  const [found] = rows;
  const instance = found && (await resolveInstance(ctx, found.deploy_id));
  return instance ? { ...route, deployId: found.deploy_id, address: instance.address, apiKey: instance.apiKey } : route;
}

/** The task of a path of A2A's binding to HTTP. */
export function taskInPath(path: string): string[] {
  const named = /^(?:\/v1)?\/tasks\/([^/:]+)/.exec(path)?.[1];
  return named === undefined ? [] : [named];
}

/** The header that opens the machine that was found: each has a key of its own. */
export function keyHeader({ apiKey }: Pick<AgentRoute, 'apiKey'>): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` };
}

// Tasks of the protocols at the platform: a run writes its own, a caller reads theirs.
import { z } from 'zod';
import { callTo, pathTo } from '../../../contract/path-to.ts';
import { ProtocolTaskOut, TaskPush } from '../../../contract/run/protocol-tasks.ts';
import type { TaskProtocol } from '../../../contract/states.ts';
import { type CallersTasks, fits, WriteRefused, type StoredTask, type PushAddress, PushRefused, type RunTask } from '../runtime/stored-tasks.ts';
import { platformBytes, platformJson, PlatformError, type RunCredential } from './run-client.ts';

// As loose as they may be: what a newer platform adds is not this SDK's business.
const Task = z.object(ProtocolTaskOut.shape);
const Tasks = z.object({ items: z.array(Task), next_cursor: z.string().nullable(), total: z.number() });
const Pushes = z.array(z.object(TaskPush.shape));
const WRITE_SECONDS = 60;

/** Not by the signal of the run: its end is written when it has been stopped, too. */
export function remoteTask(base: string, { token, requestId }: { token: string; requestId: string }, taskId: string): RunTask {
  const run: RunCredential = { token, requestId, signal: new AbortController().signal };
  const task = { task_id: taskId };
  return {
    async write({ updates, snapshot, ...now }) {
      const json = {
        protocol: now.protocol,
        owner: now.owner,
        context_key: now.contextKey,
        status: now.status,
        over: now.over,
        questions: now.questions,
        snapshot,
        retention_seconds: now.retentionSeconds,
        updates: updates.filter(({ body }) => fits(body)).map(({ version, contentType, body }) => ({ version, content_type: contentType, body })),
      };
      try {
        await platformBytes(base, run, { ...callTo('PUT /run/v1/tasks/{task_id}', task), json, timeoutSeconds: WRITE_SECONDS, what: 'tasks' });
      } catch (error) {
        if (error instanceof PlatformError && error.platformStatus >= 400 && error.platformStatus < 500) throw new WriteRefused(error.message);
        throw error;
      }
    },
    async setPush({ id, namedBy, ...push }) {
      const json = { config_id: id, named_by: namedBy, ...push };
      try {
        await platformBytes(base, run, { ...callTo('POST /run/v1/tasks/{task_id}/pushes', task), json, repeatable: true, what: 'push' });
      } catch (error) {
        if (error instanceof PlatformError && [400, 403, 409, 422].includes(error.platformStatus)) throw new PushRefused(error.message.replace(/^push: /, ''));
        throw error;
      }
    },
    removePush: async (id) =>
      void (await platformBytes(base, run, { ...callTo('DELETE /run/v1/tasks/{task_id}/pushes', task), query: { config_id: id }, what: 'push' })),
  };
}

export function remoteTasks(base: string, run: RunCredential, whose: { protocol: TaskProtocol; owner: string }): CallersTasks {
  const get = <T>(path: string, query: Record<string, string | undefined>, model: z.ZodType<T>): Promise<T> =>
    platformJson(base, run, { method: 'GET', path, query: { ...whose, ...query }, what: 'tasks' }, model);
  return {
    async get(id) {
      // What is no id at all names no task.
      if (run.token === undefined || !/^[\w-]{1,128}$/.test(id)) return undefined;
      try {
        return present(await get(pathTo('GET /run/v1/tasks/{task_id}', { task_id: id }), {}, Task));
      } catch (error) {
        if (error instanceof PlatformError && error.platformStatus === 404) return undefined;
        throw error;
      }
    },
    async list({ limit, cursor, contextKey, status, changedAfter, open }) {
      if (run.token === undefined) return { items: [], next: null, total: 0 };
      const query = { limit: String(limit), cursor, context_key: contextKey, status, changed_after: changedAfter, open: open && 'true' };
      const { items, next_cursor: next, total } = await get(pathTo('GET /run/v1/tasks'), query, Tasks);
      return { items: items.map(present), next, total };
    },
    async pushes(id) {
      const addresses = await get(pathTo('GET /run/v1/tasks/{task_id}/pushes', { task_id: id }), {}, Pushes);
      return addresses.map(({ config_id, ...push }): PushAddress => ({ id: config_id, ...push }));
    },
  };
}

function present({ task_id: id, run_id: runId, over, ended_as: endedAs, snapshot }: z.infer<typeof Task>): StoredTask {
  return { id, runId, over, endedAs, snapshot };
}

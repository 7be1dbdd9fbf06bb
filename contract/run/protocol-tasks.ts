// Tasks of the protocols (A2A, MCP) as the platform stores them: every version of an agent finds them again,
// for the same caller, and the platform pushes their changes. Only the agent's runtime knows what they say;
// each is written by the run that it is.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { MAX_VALUE_BYTES } from '../wire/limits.ts';
import { END_STATES, PUSH_VERSIONS, TASK_PROTOCOLS } from '../states.ts';

/** Bytes of a task as the runtime writes it, and of a notification. */
export const MAX_TASK_SNAPSHOT = MAX_VALUE_BYTES;
/** As long as a question can be open. */
export const MAX_TASK_SECONDS = 30 * 24 * 3600;
/** Addresses of one task. */
export const MAX_TASK_PUSHES = 8;
/** Notifications sent with one state of a task. */
export const MAX_TASK_UPDATES = 100;

/** A task and notifications of as many bytes, both escaped: they are JSON in JSON. */
const MAX_BODY_BYTES = 5 * MAX_VALUE_BYTES;
const taskId = z.string().regex(/^[\w-]{1,128}$/);
/** Equal for equal callers of the agent, and made of hashes. */
const owner = z.string().regex(/^[\w:-]{1,128}$/);
const contextKey = z.string().regex(/^[\w-]{43}$/, 'the SHA-256 of the context id, base64url');
const configId = z.string().min(1).max(256);
const protocol = z.enum(TASK_PROTOCOLS);
const params = z.object({ task_id: taskId });
const whose = z.object({ protocol, owner });

export const TaskUpdate = z
  .strictObject({ version: z.enum(PUSH_VERSIONS), content_type: z.string().max(128), body: z.string().max(MAX_TASK_SNAPSHOT) })
  .meta({ id: 'TaskUpdate', description: 'A change as push notifications of one version of the protocol say it.' });

export const ProtocolTaskIn = z
  .strictObject({
    protocol,
    owner,
    context_key: contextKey.nullable().default(null),
    status: z.string().min(1).max(64).meta({ description: "The protocol's own word." }),
    over: z.boolean(),
    questions: z.array(z.string().max(64)).max(64).default([]).meta({ description: 'Ids of what the run has asked and is not answered.' }),
    snapshot: z.string().max(MAX_TASK_SNAPSHOT).meta({ description: 'All that another version of the agent needs to answer for it.' }),
    retention_seconds: z.int().min(0).max(MAX_TASK_SECONDS).meta({ description: 'From now on.' }),
    updates: z.array(TaskUpdate).max(MAX_TASK_UPDATES).default([]),
  })
  .meta({ id: 'ProtocolTaskIn' });

export const ProtocolTaskOut = z
  .strictObject({
    task_id: z.string(),
    run_id: z.string(),
    status: z.string(),
    over: z.boolean(),
    ended_as: z.enum(END_STATES).nullable().meta({ description: 'The run ended in this way and the agent did not say what came of it.' }),
    snapshot: z.string(),
    changed_at: Instant,
  })
  .meta({ id: 'ProtocolTaskOut' });

export const TaskPush = z
  .strictObject({
    config_id: configId,
    url: z.string().min(1).max(2048),
    version: z.enum(PUSH_VERSIONS).meta({ description: 'Version of the request that set it: its address gets the same form.' }),
    scheme: z.string().max(64).default(''),
    credentials: z.string().max(8192).default(''),
    token: z.string().max(8192).default(''),
  })
  .meta({ id: 'TaskPush' });

export const TaskPushIn = TaskPush.extend({
  named_by: z.string().max(8192).meta({ description: 'The credential that came with the request which names the address.' }),
}).meta({ id: 'TaskPushIn' });

export const protocolTasks = group({
  write: {
    at: 'PUT /run/v1/tasks/{task_id}',
    summary: 'The task of this run as it is now, and what its push addresses are told',
    scope: 'run',
    params,
    body: ProtocolTaskIn,
    bodyBytes: MAX_BODY_BYTES,
    status: 204,
    errors: [401, 403, 409, 413],
  },
  get: {
    at: 'GET /run/v1/tasks/{task_id}',
    summary: 'A task of the caller of this agent',
    scope: 'run',
    looks: true,
    params,
    query: whose,
    out: ProtocolTaskOut,
    errors: [401, 403, 404],
  },
  list: {
    at: 'GET /run/v1/tasks',
    summary: 'Tasks of the caller of this agent, the last changed first',
    scope: 'run',
    looks: true,
    query: z.object({
      ...whose.shape,
      ...pageQuery(50, 100).shape,
      context_key: contextKey.optional(),
      status: z.string().max(64).optional(),
      changed_after: z.iso.datetime().optional(),
      open: z.boolean().optional().meta({ description: 'True: only those with an open question.' }),
    }),
    out: z.strictObject({ items: z.array(ProtocolTaskOut), next_cursor: nextCursor, total: z.int().min(0) }).meta({ id: 'ProtocolTaskListOut' }),
    errors: [400, 401, 403],
  },
  setPush: {
    at: 'POST /run/v1/tasks/{task_id}/pushes',
    summary: 'Push changes of the task of this run to an address, or change the one of this id',
    scope: 'run',
    // Of a task that is over, whose run can ask nothing any more.
    looks: true,
    params,
    body: TaskPushIn,
    status: 204,
    errors: [400, 401, 403, 404, 409],
  },
  removePush: {
    at: 'DELETE /run/v1/tasks/{task_id}/pushes',
    summary: 'Push nothing more to the address of this id',
    scope: 'run',
    looks: true,
    params,
    query: z.object({ config_id: configId }),
    status: 204,
    errors: [401, 403],
  },
  listPushes: {
    at: 'GET /run/v1/tasks/{task_id}/pushes',
    summary: 'Push addresses of a task of the caller of this agent',
    scope: 'run',
    looks: true,
    params,
    query: whose,
    out: z.array(TaskPush),
    errors: [401, 403, 404],
  },
});

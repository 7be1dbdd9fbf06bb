// HTTP+JSON of 1.0: /message:send, /message:stream, /tasks…, /extendedAgentCard. The package has these routes
// as an express router only, without heartbeats and back pressure; the messages' codecs, statuses and error
// bodies are the package's.
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { ContentTypeNotSupportedError, RequestMalformedError, restStatusFor, toRestErrorBody, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import {
  AgentCard,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  type ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { SvcError } from '../../authoring/errors.ts';
import { HttpError } from '../http.ts';
import { sendStream, sendValue, type Answering } from './answer.ts';
import { isCurrent, unsupported } from './rpc.ts';

export interface RestRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  body: () => Promise<unknown>;
  /** Of the answer. */
  type: string;
  context: ServerCallContext;
  answering: Answering;
}

type Act = (handler: A2ARequestHandler, request: RestRequest, ids: { task: string; config: string }) => Promise<Reply>;
type Reply = { value: unknown; status?: number } | { stream: AsyncGenerator<StreamResponse, void, undefined> };

const TASK = '/tasks/([^/:]+)';
const ROUTES: readonly (readonly [method: string, path: RegExp, act: Act])[] = [
  ['POST', at('/message:send'), async (handler, { body, context }) => ({ value: sent(await handler.sendMessage(readSend(await body()), context)) })],
  ['POST', at('/message:stream'), async (handler, { body, context }) => ({ stream: handler.sendMessageStream(readSend(await body()), context) })],
  ['GET', at('/tasks'), async (handler, { query, context }) => ({ value: listed(await handler.listTasks(readList(query), context), query) })],
  ['GET', at(TASK), async (handler, { query, context }, { task }) => ({ value: Task.toJSON(await handler.getTask({ id: task, tenant: '', ...readHistoryLength(query) }, context)) })],
  ['POST', at(`${TASK}:cancel`), async (handler, { context }, { task }) => ({ value: Task.toJSON(await handler.cancelTask({ id: task, tenant: '', metadata: {} }, context)) })],
  ['POST', at(`${TASK}:subscribe`), async (handler, { context }, { task }) => ({ stream: handler.resubscribe({ id: task, tenant: '' }, context) })],
  ['GET', at(`${TASK}:subscribe`), async (handler, { context }, { task }) => ({ stream: handler.resubscribe({ id: task, tenant: '' }, context) })],
  ['POST', at(`${TASK}/pushNotificationConfigs`), async (handler, { body, context }, { task }) => {
    const config = TaskPushNotificationConfig.fromJSON({ ...record(await body()), taskId: task });
    return { status: 201, value: TaskPushNotificationConfig.toJSON(await handler.createTaskPushNotificationConfig(config, context)) };
  }],
  ['GET', at(`${TASK}/pushNotificationConfigs`), async (handler, { context }, { task }) => {
    const configs = await handler.listTaskPushNotificationConfigs({ taskId: task, tenant: '', pageSize: 0, pageToken: '' }, context);
    return { value: ListTaskPushNotificationConfigsResponse.toJSON(configs) };
  }],
  ['GET', at(`${TASK}/pushNotificationConfigs/([^/]+)`), async (handler, { context }, { task, config }) => {
    return { value: TaskPushNotificationConfig.toJSON(await handler.getTaskPushNotificationConfig({ taskId: task, id: config, tenant: '' }, context)) };
  }],
  ['DELETE', at(`${TASK}/pushNotificationConfigs/([^/]+)`), async (handler, { context }, { task, config }) => {
    await handler.deleteTaskPushNotificationConfig({ taskId: task, id: config, tenant: '' }, context);
    return { status: 204, value: undefined };
  }],
  ['GET', at('/extendedAgentCard'), async (handler, { context }) => ({ value: AgentCard.toJSON(await handler.getAuthenticatedExtendedAgentCard({ tenant: '' }, context)) })],
]; // prettier-ignore

/** False: no such route. */
export async function serveRest(handler: A2ARequestHandler, request: RestRequest): Promise<boolean> {
  const { answering, context, type } = request;
  const routes = ROUTES.filter(([, path]) => path.test(request.path));
  const route = routes.find(([method]) => method === request.method);
  if (!route) return false;
  const refuse = (error: unknown): unknown => toRestErrorBody(known(error), statusOf(error));
  try {
    if (!isCurrent(context.requestedVersion)) throw new VersionNotSupportedError(unsupported(context.requestedVersion));
    const [, task = '', config = ''] = route[1].exec(request.path) ?? [];
    const reply = await route[2](handler, request, { task: decoded(task), config: decoded(config) });
    if ('stream' in reply) await sendStream(answering, reply.stream, (value) => StreamResponse.toJSON(value), refuse);
    else sendValue(answering, reply.status ?? 200, type, reply.value);
  } catch (error) {
    sendValue(answering, statusOf(error), type, refuse(error));
  }
  return true;
}

/** Refusals of the request as HTTP keep their status. */
export function statusOf(error: unknown): number {
  return error instanceof SvcError ? error.status : restStatusFor(error);
}

/** As the protocol names them, where it does. */
export function known(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error;
  if (error.status === 415) return new ContentTypeNotSupportedError(error.message);
  return error.status === 400 ? new RequestMalformedError(error.message) : error;
}

function at(path: string): RegExp {
  return new RegExp(`^${path}$`);
}

function readSend(body: unknown): SendMessageRequest {
  return SendMessageRequest.fromJSON(record(body));
}

function sent(result: Awaited<ReturnType<A2ARequestHandler['sendMessage']>>): unknown {
  return 'messageId' in result ? { message: Message.toJSON(result) } : { task: Task.toJSON(result) };
}

function readList(query: URLSearchParams): ListTasksRequest {
  const given = Object.fromEntries([...query].filter(([, value]) => value !== ''));
  const { pageSize, historyLength, includeArtifacts, ...rest } = given;
  return {
    ...ListTasksRequest.fromJSON(rest),
    pageSize: pageSize === undefined ? undefined : integer('pageSize', pageSize),
    historyLength: historyLength === undefined ? undefined : integer('historyLength', historyLength),
    includeArtifacts: includeArtifacts === 'true',
  };
}

/** Empty lists are said, as clients of the protocol's other bindings get them. */
function listed(response: ListTasksResponse, query: URLSearchParams): unknown {
  const { pageSize, totalSize, nextPageToken } = response;
  const withArtifacts = query.get('includeArtifacts') === 'true';
  const tasks = response.tasks.map((task) => ({ ...(withArtifacts && { artifacts: [] }), ...record(Task.toJSON(task)) }));
  return { tasks, nextPageToken, pageSize, totalSize };
}

function readHistoryLength(query: URLSearchParams): { historyLength?: number } {
  const given = query.get('historyLength');
  return given === null || given === '' ? {} : { historyLength: integer('historyLength', given) };
}

function integer(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new RequestMalformedError(`${name} must be a whole number`);
  return Number(text);
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

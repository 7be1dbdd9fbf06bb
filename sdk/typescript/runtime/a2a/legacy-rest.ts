// HTTP+JSON of 0.3: /v1/message:send, /v1/message:stream, /v1/tasks/…, /v1/card. Its bodies are the JSON of
// the protocol's protobuf messages, which the package keeps to itself; its handler speaks the JSON-RPC form,
// so this translates between the two.
import { LegacyRestTransportHandler, toLegacyHTTPError } from '@a2a-js/sdk/compat/v0_3/server';
import { RequestMalformedError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { sendStream, sendValue } from './answer.ts';
import { decoded, known, record, statusOf, type RestRequest } from './rest.ts';
import { isLegacy, unsupported } from './rpc.ts';

type Handler = LegacyRestTransportHandler;
type SendParams = Parameters<Handler['sendMessage']>[0];
type LegacyMessage = SendParams['message'];
type LegacyPart = LegacyMessage['parts'][number];
type LegacyTask = Awaited<ReturnType<Handler['getTask']>>;

const TYPE = 'application/json';

export function createLegacyRest(core: A2ARequestHandler): (request: RestRequest) => Promise<boolean> {
  const handler = new LegacyRestTransportHandler(core);
  return async (request) => {
    const { context, answering, method, query } = request;
    const refuse = (error: unknown): unknown => toLegacyHTTPError(known(error));
    const task = /^\/v1\/tasks\/([^/:]+)(?::(cancel|subscribe))?$/.exec(request.path);
    const id = decoded(task?.[1] ?? '');
    try {
      if (!isLegacy(context.requestedVersion)) throw new VersionNotSupportedError(unsupported(context.requestedVersion));
      if (method === 'POST' && request.path === '/v1/message:send') {
        sendValue(answering, 201, TYPE, oneOf(await handler.sendMessage(readSend(await request.body()), context)));
      } else if (method === 'POST' && request.path === '/v1/message:stream') {
        await sendStream(answering, await handler.sendMessageStream(readSend(await request.body()), context), oneOf, refuse);
      } else if (task?.[2] === 'subscribe') {
        await sendStream(answering, await handler.resubscribe(id, context), oneOf, refuse);
      } else if (method === 'POST' && task?.[2] === 'cancel') {
        sendValue(answering, 200, TYPE, taskJson(await handler.cancelTask(id, context)));
      } else if (method === 'GET' && task && task[2] === undefined) {
        const historyLength = query.get('historyLength') ?? query.get('history_length') ?? undefined;
        sendValue(answering, 200, TYPE, taskJson(await handler.getTask(id, context, historyLength)));
      } else if (method === 'GET' && request.path === '/v1/card') {
        sendValue(answering, 200, TYPE, await handler.getAuthenticatedExtendedAgentCard(context));
      } else return false;
    } catch (error) {
      sendValue(answering, statusOf(error), TYPE, refuse(error));
    }
    return true;
  };
}

function readSend(body: unknown): SendParams {
  const { request, message, configuration, metadata } = record(body);
  const given = record(request ?? message);
  if (typeof given['messageId'] !== 'string' && typeof given['message_id'] !== 'string') throw new RequestMalformedError('request.messageId is missing');
  const options = record(configuration);
  const parts = given['content'] ?? given['parts'];
  return {
    message: {
      kind: 'message',
      messageId: text(given['messageId'] ?? given['message_id']) ?? '',
      ...optional('contextId', text(given['contextId'] ?? given['context_id'])),
      ...optional('taskId', text(given['taskId'] ?? given['task_id'])),
      role: 'user',
      parts: Array.isArray(parts) ? parts.map(readPart) : [],
      ...(given['metadata'] !== undefined && { metadata: record(given['metadata']) }),
    },
    configuration: {
      // Protobuf's JSON leaves out what is false.
      blocking: configuration === undefined || options['blocking'] === true,
      ...(typeof options['historyLength'] === 'number' && { historyLength: options['historyLength'] }),
    },
    ...(metadata !== undefined && { metadata: record(metadata) }),
  };
}

function readPart(part: unknown): LegacyPart {
  const { text: words, data, file } = record(part);
  if (typeof words === 'string') return { kind: 'text', text: words };
  if (data !== undefined) return { kind: 'data', data: record(record(data)['data'] ?? data) };
  const { fileWithUri, fileWithBytes, mimeType } = record(file);
  const type = optional('mimeType', text(mimeType));
  if (typeof fileWithUri === 'string') return { kind: 'file', file: { uri: fileWithUri, ...type } };
  if (typeof fileWithBytes === 'string') return { kind: 'file', file: { bytes: fileWithBytes, ...type } };
  throw new RequestMalformedError('a part is text, data or a file');
}

/** A task, message or update under its name. */
function oneOf(value: { kind: string }): unknown {
  switch (value.kind) {
    case 'task':
      return { task: taskJson(value as LegacyTask) };
    case 'message':
      return { message: messageJson(value as LegacyMessage) };
    case 'status-update': {
      const { kind: _, status, ...rest } = record(value);
      return { statusUpdate: { ...rest, status: statusJson(status) } };
    }
    default: {
      const { kind: _, artifact, ...rest } = record(value);
      return { artifactUpdate: { ...rest, artifact: withParts(artifact, 'parts') } };
    }
  }
}

function taskJson(task: LegacyTask): unknown {
  const { kind: _, status, artifacts, history, ...rest } = task;
  return { ...rest, status: statusJson(status), artifacts: (artifacts ?? []).map((one) => withParts(one, 'parts')), history: (history ?? []).map(messageJson) };
}

function statusJson(status: unknown): unknown {
  const { state, message, timestamp } = record(status);
  const name = state === 'canceled' ? 'CANCELLED' : String(state).toUpperCase().replaceAll('-', '_');
  return {
    state: `TASK_STATE_${name}`,
    ...(message !== undefined && { message: messageJson(message as LegacyMessage) }),
    ...optional('timestamp', text(timestamp)),
  };
}

function messageJson(message: LegacyMessage): unknown {
  const { kind: _, role, parts, ...rest } = message;
  return { ...rest, role: role === 'agent' ? 'ROLE_AGENT' : 'ROLE_USER', content: parts.map(partJson) };
}

function withParts(value: unknown, key: 'parts'): unknown {
  const { [key]: parts, ...rest } = record(value);
  return { ...rest, parts: Array.isArray(parts) ? parts.map(partJson) : [] };
}

function partJson(part: LegacyPart): unknown {
  if (part.kind === 'text') return { text: part.text };
  if (part.kind === 'data') return { data: { data: part.data } };
  const { file } = part;
  return { file: { ...('uri' in file ? { fileWithUri: file.uri } : { fileWithBytes: file.bytes }), ...optional('mimeType', file.mimeType) } };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: string }); // K is one name
}

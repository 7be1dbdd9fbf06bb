// Which run a message of MCP goes on with, in every way that the protocol has: a task, the state of a
// request, a question that was put as text, the answer to what was asked on the stream of a call. It says
// only where to look: whose the run is, its machine knows.
import { textFromBase64Url } from '#contract/wire/base64url.ts';
import { type Named, taskInPath } from '../task/place.ts';
import { parsed, asRecord, nonEmptyText } from './untrusted-json.ts';

export interface ContinuedMessage {
  id?: string | number;
  method?: string;
  params?: object;
}

/** Of a question that was put on the stream of a call, and of an event of such a stream. */
const OF_STREAM = /^(?:elicit_)?(run_[\w-]{1,96})_[\da-f-]{36}(?:\.\d{1,9})?$/;

export function refersTo({ id, method, params }: ContinuedMessage): { task?: string | undefined; question?: string | undefined } {
  if (method === undefined) return { task: typeof id === 'string' ? OF_STREAM.exec(id)?.[1] : undefined };
  const sent = asRecord(params);
  if (method.startsWith('tasks/')) return { task: nonEmptyText(sent['taskId']) };
  const state = nonEmptyText(sent['requestState']);
  if (state !== undefined) return { task: runIn(state) };
  return method === 'tools/call' && sent['name'] === 'answer_question' ? { question: nonEmptyText(asRecord(sent['arguments'])['question_id']) } : {};
}

export function continued(found: readonly ReturnType<typeof refersTo>[]): Named {
  return { tasks: found.flatMap(({ task }) => task ?? []), questions: found.flatMap(({ question }) => question ?? []) };
}

/**
 * A request without a body: of A2A, which names its task in its path, or of a client of MCP whose connection
 * broke and who reads on.
 */
export function readsOn({ path, lastEventId = '' }: { path: string; lastEventId?: string | undefined }): Named {
  const stream = OF_STREAM.exec(lastEventId)?.[1];
  return { tasks: stream === undefined ? taskInPath(path) : [stream] };
}

/**
 * As the runtime mints it: `v1.`, the state as JSON, a code of authentication that only the agent can check.
 */
function runIn(state: string): string | undefined {
  const body = textFromBase64Url(state.split('.')[1] ?? '');
  return body === undefined ? undefined : nonEmptyText(asRecord(asRecord(parsed(Buffer.from(body)))['p'])['run']);
}

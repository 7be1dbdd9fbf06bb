// The host's control interface: which request does what. Shapes are in drivers/runtime/wire.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { parseJson } from '#drivers/runtime/lines.ts';
import { type AgentRuntime, RuntimeError } from '#drivers/runtime/port.ts';
import { BuildQuery, DenialsQuery, ExchangeBody, Id, KeepBody, LogsQuery, RestrictBody, SleepBody, StartBody } from '#drivers/runtime/wire.ts';
import type { QuestionBook } from './egress/questions.ts';
import { answerJson, streamAnswer } from './answers.ts';
import type { Boxes } from './box/boxes.ts';
import { routeBox } from './box/routes.ts';
import { routeSandbox } from './sandbox/routes.ts';
import type { Sandboxes } from './sandbox/sandboxes.ts';

const maxBody = 1_048_576;

/** What the routes lead to. */
export interface Controlled {
  runtime: AgentRuntime;
  questions: Pick<QuestionBook, 'exchange'>;
  health(): Promise<Record<string, unknown>>;
  /** Prometheus text. */
  metrics(): Promise<string>;
  sandboxes: Sandboxes | undefined;
  boxes: Boxes | undefined;
  log(fields: Record<string, unknown>): void;
}

export async function route(host: Controlled, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://host');
  const [area = '', id = '', verb = ''] = url.pathname.slice(1).split('/').map(decodeURIComponent);
  const query = Object.fromEntries(url.searchParams);
  if (area === 'sandboxes' && host.sandboxes !== undefined)
    return routeSandbox(host.sandboxes, request, response, (error) =>
      host.log({ msg: 'sandbox_failed', error: error instanceof Error ? error.stack : String(error) }),
    );
  if (area === 'boxes' && host.boxes !== undefined)
    return routeBox(host.boxes, request, response, (error) => host.log({ msg: 'box_failed', error: error instanceof Error ? error.stack : String(error) }));
  const at = `${request.method} ${area}${verb === '' ? '' : `/${verb}`}`;
  switch (at) {
    case 'GET health':
      return answerJson(response, 200, await host.health());
    case 'GET metrics':
      return void response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(await host.metrics());
    case 'GET instances':
      return answerJson(response, 200, await host.runtime.instances());
    case 'GET network-denials': {
      const { boot_id, seq } = valid(DenialsQuery, query);
      return answerJson(response, 200, await host.runtime.networkDenials(boot_id === undefined || seq === undefined ? undefined : { boot_id, seq }));
    }
    case 'POST network-questions': {
      const exchange = valid(ExchangeBody, await body(request));
      return answerJson(response, 200, await host.questions.exchange(exchange, goneWith(response)));
    }
    case 'GET current':
      return answerJson(response, 200, await host.runtime.current());
    case 'POST builds': {
      const buildQuery = valid(BuildQuery, query);
      const build_id = valid(Id, id);
      return streamAnswer(request, response, (onLog, signal) => host.runtime.build({ build_id, source: request, ...buildQuery }, onLog, signal));
    }
    case 'POST instances/start': {
      const input = valid(StartBody, await body(request));
      return streamAnswer(request, response, (onLog, signal) => host.runtime.start(input, onLog, signal));
    }
    case 'POST instances/stop':
      return answerJson(response, 200, await done(host.runtime.stop(valid(Id, id))));
    case 'POST instances/sleep':
      return answerJson(response, 200, await done(host.runtime.sleep(valid(Id, id), valid(SleepBody, await body(request)).tier)));
    case 'POST instances/restrict':
      return answerJson(response, 200, await done(host.runtime.restrict(valid(Id, id), valid(RestrictBody, await body(request)))));
    case 'POST instances/wake':
      return answerJson(response, 200, await done(host.runtime.wake(valid(Id, id))));
    case 'GET instances/logs': {
      const { after, limit } = valid(LogsQuery, query);
      return answerJson(
        response,
        200,
        await host.runtime.logs(valid(Id, id), { ...(after === undefined ? {} : { after }), ...(limit === undefined ? {} : { limit }) }),
      );
    }
    case 'POST keep-only':
      return answerJson(response, 200, await host.runtime.keepOnly(valid(KeepBody, await body(request))));
    default:
      throw new RuntimeError('not_found', `The runtime host has no ${request.method} ${url.pathname}.`);
  }
}

/** Aborted when who asked has left. */
function goneWith(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return gone.signal;
}

const done = async (work: Promise<void>): Promise<{ ok: true }> => {
  await work;
  return { ok: true };
};

function valid<T>(shape: z.ZodType<T>, value: unknown): T {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RuntimeError('internal', `Bad request to the runtime host: ${z.prettifyError(parsed.error)}`);
}

async function body(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const piece: unknown = chunk;
    if (!Buffer.isBuffer(piece)) continue;
    size += piece.length;
    if (size > maxBody) throw new RuntimeError('internal', 'The request is larger than 1 MiB.');
    chunks.push(piece);
  }
  return parseJson(Buffer.concat(chunks).toString());
}

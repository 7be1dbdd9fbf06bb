// `POST /otlp/v1/traces`: where agents export the spans of their own code, as OpenTelemetry's SDKs send them
// (OTLP over HTTP, protobuf).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { HEADER } from '#contract/wire/headers.ts';
import { bareType } from '#contract/wire/media-type.ts';
import { MAX_EXPORT_BYTES, TRACE_EXPORT_PATH } from '#contract/wire/trace-export.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { BadRequest, PayloadTooLarge, TooManyRequests } from '#core/kernel/errors.ts';
import { RUN_TOKEN_PREFIX } from '#core/runs/run/credential.ts';
import { senderOf } from '#core/runs/trace/sender.ts';
import { takeSpans } from '#core/runs/trace/take.ts';
import { writeAnswer } from '#drivers/traces/otlp/write.ts';
import { refusalOf, unexpected } from './http/errors.ts';
import { guestOf } from './http/guest.ts';
import { readBody } from './http/packed-body.ts';
import { sendRefusal } from './http/refusal.ts';
import { requestId } from './http/request-id.ts';
import { createPlaces } from './places.ts';
import type { Front } from './server.ts';

const PROTOBUF = 'application/x-protobuf';
const AT_ONCE = { each: 4, all: 64 };

export function traceExport(ctx: Ctx, { log }: { log: Logger }): Front {
  const places = createPlaces(AT_ONCE);
  return (request, response) => {
    if (request.url !== TRACE_EXPORT_PATH || request.method !== 'POST') return false;
    const id = requestId(request.headers['x-request-id']);
    response.setHeader(HEADER.requestId, id);
    serve(request, response).catch((error: unknown) => {
      const known = refusalOf(error, id);
      if (!known) log.error({ err: error, request_id: id }, 'an export of spans failed');
      return sendRefusal(request, response, known ?? unexpected(error, id)).catch(() => void response.destroy());
    });
    return true;
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sender = await senderOf(ctx, { token: tokenOf(request), guest: guestOf(request) });
    if (bareType(request.headers['content-type'] ?? '') !== PROTOBUF)
      throw new BadRequest('trace_export_invalid', `Send spans as ${PROTOBUF}: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`);
    const leave = places.enter(sender.agent.id);
    if (!leave)
      throw new TooManyRequests('trace_export_busy', 'The agent exports too much at the same time: try again in a moment', { retry_after_seconds: 1 });
    try {
      const { kept, rejected } = await takeSpans(ctx, sender, await readBody(request, MAX_EXPORT_BYTES, tooLarge));
      if (rejected > 0) log.info({ agent: sender.agent.name, kept, rejected }, 'spans of an agent were not taken');
      const why = 'spans without the tracestate of a run of this agent, of a run that ended long ago, too many or too large are not taken';
      const bytes = writeAnswer(rejected, why);
      response.writeHead(200, { 'content-type': PROTOBUF, 'content-length': bytes.length, 'cache-control': 'no-store' }).end(bytes);
    } finally {
      leave();
    }
  }
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  const own = headers[HEADER.runToken];
  if (typeof own === 'string') return own;
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return bearer?.startsWith(RUN_TOKEN_PREFIX) ? bearer : undefined;
}

function tooLarge(): PayloadTooLarge {
  return new PayloadTooLarge('trace_export_too_large', `One export has at most ${MAX_EXPORT_BYTES} bytes, unpacked: let the exporter send smaller batches`);
}

// A streaming skill's events as they come: what it says goes to standard error, its result is returned.
import type { z } from 'zod';
import {
  AgentEvent,
  ArtifactRef,
  ErrorPayload,
  FailedPayload,
  ProgressPayload,
  QuestionPayload,
  ReceiptPayload,
  ResultPayload,
  TextDeltaPayload,
  ToolPayload,
} from '../../contract/wire/events.ts';
import { CliError } from '../errors.ts';
import { forTerminal, plain, type Output } from '../output.ts';
import { readEvents } from '../sse.ts';

export interface Outcome {
  result: unknown;
  receiptId: string | undefined;
}

/** `onEvent` gets every event, for those who want them all. */
export async function showLive(response: Response, output: Output, onEvent: (event: AgentEvent) => void): Promise<Outcome> {
  let outcome: { result: unknown } | undefined;
  let failure: z.output<typeof FailedPayload> | undefined;
  let receiptId = response.headers.get('x-svc-receipt-id') ?? undefined;
  let inText = false;
  for await (const { data } of readEvents(response)) {
    const event = AgentEvent.parse(data);
    onEvent(event);
    if (event.kind === 'result') outcome = { result: ResultPayload.parse(event.payload).result };
    else if (event.kind === 'failed') failure = FailedPayload.parse(event.payload);
    else if (event.kind === 'receipt') receiptId = ReceiptPayload.parse(event.payload).receipt_id;
    else if (event.kind === 'text_delta') output.raw(forTerminal(TextDeltaPayload.parse(event.payload).text));
    else for (const line of linesOf(event)) output.note(`${inText ? '\n' : ''}${line}`);
    inText = event.kind === 'text_delta';
  }
  if (inText || outcome || failure) output.raw(inText ? '\n' : '');
  if (failure) throw new CliError(failureMessage(failure));
  if (!outcome) throw new CliError('The stream ended without a result. Look at: svc logs');
  return { result: outcome.result, receiptId };
}

function linesOf({ kind, payload }: AgentEvent): string[] {
  const read = <T>(schema: z.ZodType<T>, line: (value: T) => string): string[] => {
    const parsed = schema.safeParse(payload);
    return parsed.success ? [plain(line(parsed.data))] : [];
  };
  switch (kind) {
    case 'progress':
      return read(
        ProgressPayload,
        ({ message, progress, total }) => `… ${message}${progress === undefined ? '' : ` (${progress}${total === undefined ? '' : `/${total}`})`}`,
      );
    case 'tool':
      return read(ToolPayload, ({ name, phase, summary }) => `⚙ ${name} ${phase}${summary === undefined ? '' : `: ${summary}`}`);
    case 'artifact':
      return read(ArtifactRef, ({ name, uri, size_bytes: bytes }) => `⬇ ${name} (${bytes} bytes): ${uri}`);
    case 'question':
      return read(QuestionPayload, ({ prompt }) => `? ${prompt}`);
    case 'error':
      return read(ErrorPayload, ({ message }) => `! ${message}`);
    default:
      return [];
  }
}

function failureMessage({ detail }: z.output<typeof FailedPayload>): string {
  const issues = (detail.issues ?? []).map(({ path, message }) => `\n  ${path.join('.')}: ${message}`).join('');
  return `The skill failed (${detail.code}): ${detail.message}${issues}`;
}

// What a client of AG-UI sends, and which skill it means: as a message of the task protocol means it, so that
// the same words do the same everywhere.
import { Message as MessageCodec, type Message } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';
// The protocol's own package: its models are generated from its specification.
import { RunAgentInputSchema } from '@ag-ui/core/schemas';
import { z } from 'zod';
import type { AgentCard } from '../../../../contract/wire/card.ts';
import { wantedBy, type Open, type Wanted } from '../a2a/message.ts';
import { HttpError } from '../http.ts';

export type Input = ReturnType<typeof RunAgentInputSchema.parse>;
type UserMessage = Extract<Input['messages'][number], { role: 'user' }>;

/** A thread is kept by this name while it waits. */
const MAX_ID_LENGTH = 1024;

/** @throws HttpError 400 */
export function readInput(body: unknown): Input {
  const parsed = RunAgentInputSchema.safeParse(body);
  if (!parsed.success) {
    const wrong = parsed.error.issues.slice(0, 10).map(({ path, message }) => `${path.join('.') || '(top)'}: ${message}`);
    throw bad(`the body is no RunAgentInput of AG-UI: ${wrong.join('; ')}`);
  }
  const { threadId, runId } = parsed.data;
  if (threadId.length > MAX_ID_LENGTH || runId.length > MAX_ID_LENGTH) throw bad(`threadId and runId may have ${MAX_ID_LENGTH} characters at most`);
  return parsed.data;
}

const Named = z.object({ skill: z.string(), args: z.unknown() });

/**
 * `forwardedProps: {skill, args}` says both; else the last message of the user does, as plain text to an
 * agent of the task protocol: `@skill {json}`, or text for the one skill that takes a text. What does not say
 * which skill is asked for by a form.
 * @throws HttpError 400, 415
 */
export function wantedIn(card: AgentCard, input: Input): Wanted | Open {
  const named = Named.safeParse(input.forwardedProps);
  if (named.success && named.data.args !== undefined) return named.data;
  const userMessage = input.messages.findLast(({ role }) => role === 'user');
  if (userMessage?.role !== 'user') {
    if (named.success) return { skill: named.data.skill, args: {} };
    throw bad('send a message of the user, or name the skill: "forwardedProps": {"skill": "…", "args": {…}}');
  }
  const message = toMessage(userMessage, input.threadId, named.success ? { skill: named.data.skill } : undefined);
  try {
    return wantedBy(card, { tenant: '', message, configuration: undefined, metadata: undefined });
  } catch (error) {
    if (error instanceof ContentTypeNotSupportedError) throw new HttpError('unsupported_media_type', error.message);
    if (error instanceof RequestMalformedError) throw bad(error.message);
    throw error;
  }
}

function toMessage({ id, content }: UserMessage, threadId: string, metadata: { skill: string } | undefined): Message {
  const parts = typeof content === 'string' ? [{ text: content }] : content.map(toPart);
  return MessageCodec.fromJSON({ messageId: id, contextId: threadId, role: 'ROLE_USER', parts, ...(metadata && { metadata }) });
}

function toPart(part: Exclude<UserMessage['content'], string>[number]): object {
  if (part.type === 'text') return { text: part.text };
  const { source } = part;
  if (source.type === 'file') throw bad('a file that a provider holds cannot be read here: send its data, or a URL');
  return { [source.type === 'data' ? 'raw' : 'url']: source.value, mediaType: source.mimeType ?? '' };
}

function bad(message: string): HttpError {
  return new HttpError('bad_request', message);
}

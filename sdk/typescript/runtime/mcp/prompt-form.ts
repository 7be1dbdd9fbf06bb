// A prompt that lacks arguments asks the person for them, where their client can be asked: as the protocol's
// input-required result, or on the stream of the request.
import {
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answerOf, type InputForm } from './answer.ts';
import { canElicit, questionRequest } from './asking.ts';
import { MAX_ROUNDS } from './attend.ts';
import type { Caller } from './caller.ts';
import type { Elicitations, Send } from './elicit.ts';

export const PromptState = z.object({ prompt: z.string(), round: z.int() });
export type PromptState = z.infer<typeof PromptState>;

/** Under which the client brings them. */
const KEY = 'arguments';

interface Lacking {
  prompt: string;
  title: string;
  /** JSON Schemas of the arguments that are missing, by their names. */
  fields: Readonly<Record<string, unknown>>;
}

interface PromptFormParts {
  caller: Caller;
  elicitations: Elicitations;
  codec: Pick<RequestStateCodec<PromptState>, 'mint'>;
}

type Filled = { kind: 'filled'; values: Record<string, unknown> };
export type FillIn = (lacking: Lacking, context: ServerContext, send: Send) => Promise<Filled | { kind: 'asked'; result: InputRequiredResult } | undefined>;

/**
 * Undefined: this client's person cannot be asked. @throws ProtocolError where the person does not fill it in
 */
export function promptForm({ caller, elicitations, codec }: PromptFormParts): FillIn {
  return async ({ prompt, title, fields }, context, send) => {
    const form: InputForm = { prompt: `What is "${title}" to be called with?`, schema: { type: 'object', properties: fields, required: Object.keys(fields) } };
    if (canElicit(context)) {
      const state = PromptState.safeParse(context.mcpReq.requestState());
      const response = context.mcpReq.inputResponses?.[KEY];
      const ask = async (round: number, mistakes?: string) => ({
        kind: 'asked' as const,
        result: inputRequired({ inputRequests: { [KEY]: questionRequest(form, mistakes) }, requestState: await codec.mint({ prompt, round }) }),
      });
      const round = state.success && state.data.prompt === prompt ? state.data.round : 1;
      if (response === undefined) return await ask(round);
      const read = filledIn(form, response);
      return typeof read === 'string' ? await ask(nextRound(round, read), read) : { kind: 'filled', values: read };
    }
    if (!caller.asksOnStream) return undefined;
    let mistakes: string | undefined;
    for (let round = 1; ; round = nextRound(round, mistakes)) {
      const outcome = await elicitations.ask(send, questionRequest(form, mistakes), caller, context.mcpReq.signal);
      if (outcome.kind !== 'result') throw refusal('the arguments were asked for, and there was no answer');
      const read = filledIn(form, outcome.result);
      if (typeof read !== 'string') return { kind: 'filled', values: read };
      mistakes = read;
    }
  };
}

/** The arguments, or what is wrong with them. */
function filledIn(form: InputForm, response: unknown): Record<string, unknown> | string {
  const answer = answerOf(form, response);
  if (answer.kind === 'none') return answer.mistakes;
  if (answer.kind !== 'text') throw refusal('the person did not fill in the arguments');
  return z.record(z.string(), z.unknown()).parse(JSON.parse(answer.text)); // an object, by its schema
}

function nextRound(round: number, mistakes = ''): number {
  if (round >= MAX_ROUNDS) throw refusal(`the arguments do not fit: ${mistakes}`);
  return round + 1;
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

// What an API answered, as the result of a skill: JSON as it is, text as text, everything else as an artifact
// of the run.
import { Buffer } from 'node:buffer';
import { bareType } from '../../../contract/wire/media-type.ts';
import type { RunContext } from '../authoring/context.ts';
import { SkillInvocationError } from '../authoring/errors.ts';
import { isJson } from './body.ts';

/** Of an answer that is a result; what is longer becomes an artifact. */
export const MAX_RESULT_BYTES = 1024 * 1024;
/** Of any answer. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const SHOWN_OF_A_REFUSAL = 2_000;

export interface Answer {
  status: number;
  headers: Headers;
  value: unknown;
}

/** @throws SkillInvocationError for a status that says it failed, with what the API said */
export async function readAnswer(ctx: RunContext, response: Response): Promise<Answer> {
  const bytes = await readBounded(response);
  const type = response.headers.get('content-type') ?? '';
  if (response.status >= 300 && response.status < 400)
    throw new SkillInvocationError(
      `The API answered ${response.status}: it has moved to ${shownPlace(response.headers.get('location'))}, and that is not followed`,
      { status: 502 },
    );
  if (!response.ok) {
    const errorText = bytes.subarray(0, SHOWN_OF_A_REFUSAL).toString().trim();
    throw new SkillInvocationError(`The API answered ${response.status}${errorText === '' ? '' : `: ${errorText}`}`, { status: statusFor(response.status) });
  }
  const { status, headers } = response;
  if (bytes.length === 0) return { status, headers, value: null };
  if (bytes.length <= MAX_RESULT_BYTES) {
    if (isJson(type) || type === '') {
      const value = parsed(bytes.toString());
      if (value !== undefined) return { status, headers, value };
    }
    if (isText(type)) return { status, headers, value: bytes.toString() };
  }
  return { status, headers, value: await stored(ctx, bytes, type, headers) };
}

async function stored(ctx: RunContext, bytes: Buffer, type: string, headers: Headers): Promise<unknown> {
  const mimeType = bareType(type) || 'application/octet-stream';
  const artifact = await ctx.writeArtifact(nameOf(headers, ctx.skill, mimeType), bytes, mimeType);
  await ctx.emitArtifact(artifact);
  return {
    artifact: artifact.uri,
    mime_type: mimeType,
    size_bytes: bytes.length,
    note: 'The answer is in the artifact, for it is binary or longer than 1 MiB.',
  };
}

async function readBounded(response: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > MAX_ANSWER_BYTES) throw new SkillInvocationError(`The API answered more than ${MAX_ANSWER_BYTES} bytes: ask for less of it`, { status: 502 });
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isText(type: string): boolean {
  return /^text\/|^application\/(?:[\w.+-]+\+)?(?:json|xml|yaml)\b|^application\/(?:javascript|x-ndjson|jsonl)\b/i.test(type);
}

function nameOf(headers: Headers, skill: string, mimeType: string): string {
  const given = /filename="?([\w .-]{1,100})"?/i.exec(headers.get('content-disposition') ?? '')?.[1]?.trim();
  const ending =
    mimeType
      .split('/')[1]
      ?.replace(/[^a-z0-9]/gi, '')
      .slice(0, 10) ?? 'bin';
  return given !== undefined && !given.startsWith('.') ? given : `${skill}.${ending === 'octetstream' ? 'bin' : ending}`;
}

function shownPlace(location: string | null): string {
  return location === null ? 'another address' : (location.split('?')[0] ?? '').slice(0, 200);
}

/** The caller's own mistakes stay theirs; what is wrong with the API, or the credentials for it, is not. */
function statusFor(status: number): number {
  return [400, 404, 409, 410, 412, 413, 422, 429].includes(status) ? status : 502;
}

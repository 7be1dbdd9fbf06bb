// What the gateway must understand of a wire: what a request asks for, what an answer used. Everything else
// passes as it is.
import type { ModelProtocol, ModelUsage } from '#drivers/llm/port.ts';
import { BadRequest } from '../../kernel/errors.ts';

export type Body = Record<string, unknown>;

/** One text of an event of a stream. */
export interface StreamText {
  /** Its place, the same in each event that goes on with it. */
  place: string;
  text: string;
  put(text: string): void;
  /** An event with nothing but more of this text. */
  eventOf(text: string): Body;
}

/** What the events of a stream say. */
export interface StreamTexts {
  texts(piece: Body): StreamText[];
  /** The beginning of the places whose text is over; '' for all. Undefined: the event ends none. */
  ended?(piece: Body): string | undefined;
  /** It says the end, as some endpoints do with every piece: what follows tells. */
  mayEnd?(piece: Body): boolean;
}

/** One operation of an endpoint. */
export interface Operation {
  protocol: ModelProtocol;
  /** `chat`, …; shown in the usage. */
  name: string;
  method: 'GET' | 'POST';
  /** Behind the endpoint's base URL. */
  path: string;
  /** Absent: it uses no tokens. */
  metered?: Metered;
}

export interface Metered {
  /**
   * How many tokens the answer may have; undefined: the request does not say. @throws BadRequest
   * model_request_invalid
   */
  outputTokens(body: Body): number | undefined;
  /** Answers to one request: each may have as many tokens. */
  answers(body: Body): number;
  /**
   * The request so that the endpoint counts, and holds to the most tokens that its answer may have;
   * undefined: there is no limit.
   */
  prepared(body: Body, outputTokens: number | undefined, provider: string): Body;
  /**
   * What one piece of an answer (an event, or the whole document) says was used so far; undefined: nothing.
   */
  usage(piece: Body, before: ModelUsage | undefined): ModelUsage | undefined;
  /** Characters that the piece adds to what was said. */
  said(piece: Body): number;
  /** The piece as the caller asked for it; undefined: it did not ask for it at all. Absent: as it is. */
  shown?(piece: Body, asked: Body): Body | undefined;
  /** Absent: its answers are no streams. */
  stream?: StreamTexts;
}

export function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an endpoint counts is its word: a number that could be one, else 0. */
export function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= 100_000_000 ? value : 0;
}

/** @throws BadRequest model_request_invalid */
export function tokenLimit(body: Body, ...names: string[]): number | undefined {
  for (const name of names) {
    const value = body[name];
    if (value === undefined || value === null) continue;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= 10_000_000) return value;
    throw new BadRequest('model_request_invalid', `"${name}" must be a whole number from 1 on`);
  }
  return undefined;
}

/** Schemas of tools are a few levels deep. */
const MOST_LEVELS = 128;

/**
 * What is written and counted level by level must not exhaust the stack. @throws BadRequest
 * model_request_invalid
 */
export function refuseDeep(value: unknown, level = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (level > MOST_LEVELS) throw new BadRequest('model_request_invalid', 'The request is nested too deeply');
  for (const one of Object.values(value)) refuseDeep(one, level + 1);
}

const UNCOUNTED_KEYS = new Set(['type', 'role', 'id', 'name', 'signature', 'index', 'object', 'item_id', 'obfuscation']);

/** Characters of all texts in a value. */
export function textLength(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > 8) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + textLength(one, depth + 1), 0);
  return Object.entries(value).reduce((sum, [name, one]) => sum + (UNCOUNTED_KEYS.has(name) ? 0 : textLength(one, depth + 1)), 0);
}

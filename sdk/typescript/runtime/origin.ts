// What came with a call besides its arguments: run id and credential of the platform, a grant the caller
// passes on, the wish to be detached.
import type { IncomingMessage } from 'node:http';
import { checkGrant } from '../../../contract/crypto/grant-token.ts';
import type { Grant } from '../../../contract/wire/grant.ts';
import { HEADER } from '../../../contract/wire/headers.ts';
import { readTraceparent, TRACEPARENT, TRACESTATE } from '../../../contract/wire/trace-context.ts';
import { GrantInvalid } from '../authoring/errors.ts';
import type { GrantWithToken } from './pending.ts';
import { readSetup, type Setup } from './setup.ts';

export interface RunOrigin {
  runId?: string;
  runToken?: string;
  /** traceparent and tracestate, where the platform sent them. */
  trace?: Readonly<Record<string, string>>;
  grant?: GrantWithToken;
  /** The one skill that the call has been priced as: no other is executed. */
  pricedSkill?: string;
  /** `wait`: once a person is asked through the platform. */
  detached?: 'always' | 'wait';
  /** How many attempts of the run came before, in other processes. */
  retried?: number;
  /** What the caller set for this agent, by the platform's word. */
  setup?: Setup;
  /** The part of it that is injected, which only the egress proxy opens. */
  setupSealed?: string;
}

/**
 * False where the platform says who asks and gives no run: this request continues with something, or looks at
 * it, and starts nothing.
 */
export function mayBegin({ runId, runToken }: RunOrigin): boolean {
  return runToken === undefined || runId !== undefined;
}

const NOTHING: RunOrigin = Object.freeze({});

export type VerifyGrant = (token: string) => Grant;

/** @param key of this agent; without one no grant is valid */
export function grantVerifier(audience: string, key: () => Uint8Array | undefined): VerifyGrant {
  return (token) => {
    const agentKey = key();
    const checked = agentKey && checkGrant(token, agentKey, { audience, now: Math.floor(Date.now() / 1000) });
    if (!checked?.ok) throw new GrantInvalid();
    return checked.grant;
  };
}

/**
 * @param trusted the request carries the agent's key, so that the platform's own words in it are believed
 * @throws GrantInvalid
 */
export function originOf({ headers }: IncomingMessage, trusted: boolean, verify: VerifyGrant): RunOrigin {
  const token = headers[HEADER.grant];
  const grant = token === undefined ? undefined : readGrant(token, verify);
  if (!trusted) return grant ? { grant } : NOTHING;
  const runId = headers[HEADER.runId];
  const runToken = headers[HEADER.runToken];
  const setup = readSetup(headers[HEADER.setup]);
  const encryptedSetup = headers[HEADER.setupSealed];
  if (runId === undefined && runToken === undefined && !grant && !setup && headers[HEADER.detached] === undefined) return NOTHING;
  return {
    ...(typeof runId === 'string' && /^run_[\w-]{1,96}$/.test(runId) && { runId }),
    ...(typeof runToken === 'string' && { runToken }),
    ...tracedBy(headers),
    ...(grant && { grant }),
    ...detachedBy(headers[HEADER.detached]),
    ...retriedBy(headers[HEADER.retried]),
    ...pricedBy(headers[HEADER.pricedSkill]),
    ...(setup && { setup }),
    ...(typeof encryptedSetup === 'string' && { setupSealed: encryptedSetup }),
  };
}

function tracedBy(headers: IncomingMessage['headers']): Pick<RunOrigin, 'trace'> {
  const { [TRACEPARENT]: parent, [TRACESTATE]: state } = headers;
  if (readTraceparent(parent) === undefined) return {};
  return { trace: { [TRACEPARENT]: String(parent), ...(typeof state === 'string' && { [TRACESTATE]: state }) } };
}

function detachedBy(word: string | string[] | undefined): Pick<RunOrigin, 'detached'> {
  if (word === '1') return { detached: 'always' };
  return word === 'wait' ? { detached: 'wait' } : {};
}

function pricedBy(skill: string | string[] | undefined): Pick<RunOrigin, 'pricedSkill'> {
  return typeof skill === 'string' ? { pricedSkill: skill } : {};
}

function retriedBy(times: string | string[] | undefined): Pick<RunOrigin, 'retried'> {
  return typeof times === 'string' && /^\d{1,6}$/.test(times) ? { retried: Number(times) } : {};
}

function readGrant(token: string | string[], verify: VerifyGrant): GrantWithToken {
  if (Array.isArray(token)) throw new GrantInvalid();
  return { token, grant: verify(token) };
}

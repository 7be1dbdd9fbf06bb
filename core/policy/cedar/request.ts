// A question to an account's rules, in the form of Cedar. The facts are kept with the decision, so that other
// rules can be tried over it.
import type { CedarValueJson, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { PolicyAction } from '#contract/states.ts';
import { plainAddress } from '#contract/wire/internet.ts';
import { isPath } from '#contract/wire/patterns.ts';

/** Names of agents are unique for good: no other agent ever gets the name of a deleted one. */
export type RulePrincipal =
  | { type: 'User'; id: string }
  | { type: 'Agent'; name: string; owner: string; listed?: boolean | undefined }
  | { type: 'Run'; id: string; agent: string; owner: string; skill: string; depth: number; caller: string | null };

export type RuleResource =
  | { type: 'Agent'; name: string; owner: string; listed?: boolean | undefined }
  | { type: 'Skill'; agent: string; skill: string; owner: string; listed?: boolean | undefined }
  | { type: 'Path'; path: string }
  /** A name or an IP address, as the connection would be opened. */
  | { type: 'Host'; host: string; port?: number | undefined };

export interface RuleContext {
  grant?:
    | {
        id: string;
        issuer: string;
        audience: string;
        mode: string;
        expires_in_s: number;
        allow_patterns: readonly string[];
        deny_patterns: readonly string[];
        outputs_prefix?: string | null | undefined;
      }
    | undefined;
  /** Computed and reserved in the database before: rules only compare. */
  money?: { amount_cents?: number | undefined; run_cents?: number | undefined; day_cents?: number | undefined; month_cents?: number | undefined } | undefined;
  calls?: { run?: number | undefined; day?: number | undefined } | undefined;
}

/** Only attributes: never contents, arguments or credentials. */
export interface RuleFacts {
  principal: RulePrincipal;
  action: PolicyAction;
  resource: RuleResource;
  context: RuleContext;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface CedarRequest {
  principal: TypeAndId;
  resource: TypeAndId;
  context: Record<string, CedarValueJson>;
  entities: EntityJson[];
}

/** A fact that no rule could be asked about with certainty: it is denied. */
export class UnclearFact extends Error {}

const MAX_ID = 1_024;
const MAX_HOST = 253;
const HOST_NAME = /^(?=[^.]{1,63}(?:\.|$))[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
/** Systems read 0x7f.1, 017700000001 and 127.1 as addresses. */
const NUMERIC_END = /(?:^|\.)(?:\d+|0x[\da-f]*)$/;

/** @throws UnclearFact */
export function cedarRequest(facts: RuleFacts): CedarRequest {
  const known = new Map<string, EntityJson>();
  const principal = addPrincipal(known, facts.principal);
  const resource = addResource(known, facts.resource);
  return { principal, resource, context: contextOf(facts), entities: [...known.values()] };
}

function add(known: Map<string, EntityJson>, uid: TypeAndId, attrs: EntityJson['attrs'] = {}, parents: TypeAndId[] = []): TypeAndId {
  if (uid.id.length > MAX_ID || !uid.id.isWellFormed()) throw new UnclearFact('name_not_clear');
  known.set(`${uid.type} ${uid.id}`, { uid, attrs, parents });
  return uid;
}

const user = (id: string): TypeAndId => ({ type: 'User', id });

function addAgent(known: Map<string, EntityJson>, i: { name: string; owner: string; listed?: boolean | undefined }): TypeAndId {
  const owner = add(known, user(i.owner));
  return add(known, { type: 'Agent', id: i.name }, { owner: { __entity: owner }, listed: i.listed ?? false }, [owner]);
}

function addPrincipal(known: Map<string, EntityJson>, i: RulePrincipal): TypeAndId {
  if (i.type === 'User') return add(known, user(i.id));
  if (i.type === 'Agent') return addAgent(known, i);
  const agent = addAgent(known, { name: i.agent, owner: i.owner });
  const caller = i.caller === null ? {} : { caller: { __entity: add(known, user(i.caller)) } };
  return add(known, { type: 'Run', id: i.id }, { agent: { __entity: agent }, skill: i.skill, depth: whole(i.depth), ...caller }, [agent]);
}

function addResource(known: Map<string, EntityJson>, i: RuleResource): TypeAndId {
  switch (i.type) {
    case 'Agent':
      return addAgent(known, i);
    case 'Skill': {
      const agent = addAgent(known, { name: i.agent, owner: i.owner, listed: i.listed });
      return add(known, { type: 'Skill', id: `${i.agent}/${i.skill}` }, { agent: { __entity: agent }, name: i.skill }, [agent]);
    }
    case 'Path':
      return addPath(known, i.path);
    case 'Host':
      return addHost(known, i);
  }
}

/**
 * Another spelling of a path would be another file to a rule: what is no path as the platform writes them is
 * not decided over.
 */
function addPath(known: Map<string, EntityJson>, path: string): TypeAndId {
  if (!isPath(path)) throw new UnclearFact('path_not_clear');
  const segments = path.split('/');
  const folders = segments.slice(1).map((_, at) => ({ type: 'Path', id: segments.slice(0, at + 1).join('/') }));
  return add(known, { type: 'Path', id: path }, { path, name: segments.at(-1) ?? '' }, folders);
}

function addHost(known: Map<string, EntityJson>, { host, port }: { host: string; port?: number | undefined }): TypeAndId {
  const written = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  const address = plainAddress(written);
  if (address === undefined && (written.length > MAX_HOST || NUMERIC_END.test(written) || !HOST_NAME.test(written))) throw new UnclearFact('host_not_clear');
  const name = address ?? written;
  const labels = name.split('.');
  const domains = address === undefined ? labels.slice(1).map((_, at) => ({ type: 'Host', id: labels.slice(at + 1).join('.') })) : [];
  const attrs = {
    name,
    ...(port !== undefined && { port: whole(port) }),
    ...(address !== undefined && { address: { __extn: { fn: 'ip', arg: address } } }),
  };
  return add(known, { type: 'Host', id: name }, attrs, domains);
}

function contextOf({ at, context: { grant, money, calls } }: RuleFacts): Record<string, CedarValueJson> {
  const now = new Date(at);
  const time = { hour: now.getUTCHours(), minute: now.getUTCMinutes(), weekday: ((now.getUTCDay() + 6) % 7) + 1, zone: 'UTC' };
  return {
    time,
    ...(grant && {
      grant: {
        id: grant.id,
        issuer: grant.issuer,
        audience: grant.audience,
        mode: grant.mode,
        expires_in_s: whole(grant.expires_in_s),
        allow_patterns: [...grant.allow_patterns],
        deny_patterns: [...grant.deny_patterns],
        ...(typeof grant.outputs_prefix === 'string' && { outputs_prefix: grant.outputs_prefix }),
      },
    }),
    ...(money && { money: numbers(money) }),
    ...(calls && { calls: numbers(calls) }),
  };
}

function numbers(given: Record<string, number | undefined>): Record<string, number> {
  return Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, whole(value)]])));
}

/** Rounded up: a rule that limits must not see less than there is. */
function whole(value: number): number {
  const up = Math.ceil(value);
  if (!Number.isSafeInteger(up)) throw new UnclearFact('number_not_clear');
  return up;
}

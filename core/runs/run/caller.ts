// Who calls, as the agent is told: the one place where an actor becomes the principal of
// contract/wire/caller.ts, and where it is decided which scopes of the agent's skills they have.
//
// A person, and whoever acts for them, has the scopes of their role or of a grant; who acts for an
// organization has those of that organization only: its provider may have made the sign-in. An agent speaks
// as the person it works for only where every agent of the chain belongs to the called agent's owner or to
// that person: any other one is told by its own name, with the person behind it, and has no scopes. Otherwise
// an agent could have its callers' data, or use its callers' rights, at every agent that they use themselves.
//
// At an agent of others, who acts for an organization is a member of it, by a sub of its own and without an
// address: an organization's provider says who its members are, and must not reach what the person keeps at
// that agent.
import type { Knex } from 'knex';
import { signCaller } from '#contract/crypto/caller-token.ts';
import type { OrganizationRole } from '#contract/states.ts';
import { CALLER_TTL_SECONDS, type Caller, type CallerAccount, plainHeaders } from '#contract/wire/caller.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { ON_EMAIL } from '#contract/wire/mail.ts';
import { actorId } from '../../kernel/audit.ts';
import { agentOfStep } from '../../kernel/chain.ts';
import { type Actor, type Ctx, personOf, type RunActor } from '../../kernel/ctx.ts';
import { roleAllows } from '../../kernel/roles.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';

/** What is known of a call before anything is looked up. */
interface Calling {
  agentId: string;
  ownerId: string;
  deployId: string;
  caller: { kind: string; id: string | null };
  /** The account that is acted for, and the person who acts; null: no user called. */
  userId: string | null;
  personId: string | null;
  /** Names of the agents between, the first one first. */
  through: readonly string[];
  /** A mail began it: its sender is not the account for which the mailbox's agent works. */
  mail: boolean;
  /** Of a durable run: by it the mail that began it is found. */
  jobId: string | null;
}

/** Of a run that begins, or of one that another process asks for again. */
export function callingOf(run: RunActor): Calling {
  return {
    agentId: run.agent_id,
    ownerId: run.owner_id,
    deployId: run.deploy_id,
    caller: run.caller,
    userId: run.user_id,
    personId: run.person_id ?? run.user_id,
    through: run.chain.slice(0, -1).map(agentOfStep),
    mail: isMail(run.chain),
    jobId: run.job_id,
  };
}

/** Of a request that begins no run: a page, a file, a connection. */
export function callingAt(route: Pick<AgentRoute, 'agentId' | 'ownerId' | 'deployId'>, actor: Actor): Calling {
  const user = actor.kind === 'user' ? { userId: actor.user_id, personId: personOf(actor) } : undefined;
  const run = actor.kind === 'run' ? { userId: actor.user_id, personId: actor.person_id ?? actor.user_id } : undefined;
  return {
    agentId: route.agentId,
    ownerId: route.ownerId,
    deployId: route.deployId,
    caller: { kind: actor.kind, id: actorId(actor) },
    ...(user ?? run ?? { userId: null, personId: null }),
    through: actor.kind === 'run' ? actor.chain.map(agentOfStep) : [],
    mail: actor.kind === 'run' && isMail(actor.chain),
    jobId: null,
  };
}

/**
 * Headers for the instance with that key, beside the key; none where nobody is known. `runId`: of the run
 * that the request begins.
 */
export async function identityHeaders(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  calling: Calling,
  { apiKey, runId }: { apiKey: string; runId: string | null },
): Promise<Record<string, string>> {
  const caller = await callerOf(ctx.db, calling);
  if (!caller) return {};
  const exp = Math.floor(ctx.clock() / 1000) + CALLER_TTL_SECONDS;
  return { [HEADER.caller]: signCaller({ caller, run: runId, exp }, apiKey), ...plainHeaders(caller) };
}

/** Undefined: nobody is known. */
export async function callerOf(db: Knex, calling: Calling): Promise<Caller | undefined> {
  const { caller, through, mail, userId } = calling;
  if (caller.kind === 'anonymous' && through.length === 0) return undefined;
  const facts = await look(db, calling);
  const own = accountOf(facts, calling);
  const nobody = { user_id: null, email: null, org_id: null, org_slug: null, scopes: [], trusted: false, agent: null, on_behalf_of: null };
  const from = through.at(-1);
  if (from !== undefined) {
    if (own && !mail && facts.strangers === 0) return { ...nobody, ...own, kind: 'user', ...rightsOf(facts, calling), agent: from };
    return { ...nobody, kind: 'agent', sub: `agent:${from}`, agent: from, on_behalf_of: mail ? null : (own ?? null) };
  }
  if (mail) return { ...nobody, kind: 'mail', sub: `mail:${facts.sender ?? ''}`, email: facts.sender };
  if (own && userId !== null) return { ...nobody, ...own, kind: 'user', ...rightsOf(facts, calling) };
  if (caller.kind === 'api_token') return { ...nobody, kind: 'token', sub: `token:${caller.id}`, scopes: tokenScopes(facts), trusted: true };
  // Of an account that is gone nothing is known.
  return caller.kind === 'platform' ? { ...nobody, kind: 'platform', sub: `platform:${caller.id ?? ''}` } : undefined;
}

interface Facts {
  user_id: string | null;
  email: string | null;
  account_number: number | null;
  person: boolean | null;
  org_id: string | null;
  org_slug: string | null;
  owner_org_id: string | null;
  owner_org_slug: string | null;
  role: OrganizationRole | null;
  granted: string[] | null;
  /** Scopes by skill, as the deployment declares them. */
  declared: Record<string, string[]>;
  token_skills: string[] | null;
  /** Verified by the platform's mail. */
  sender: string | null;
  /** Agents between that belong to neither side. */
  strangers: number;
}

/** One question for all of it: every call asks it. */
async function look(db: Knex, { agentId, ownerId, deployId, caller, userId, personId, through, mail, jobId }: Calling): Promise<Facts> {
  const names = [...new Set(through)];
  const { rows } = await db.raw<{ rows: Facts[] }>(
    `select u.user_id, u.email, u.account_number, u.kind = 'person' as person,
       acted.organization_id as org_id, acted.slug as org_slug,
       own.organization_id as owner_org_id, own.slug as owner_org_slug, m.role,
       (select array_agg(distinct s) from caller_scopes g, unnest(g.scopes) s where g.agent_id = :agentId and g.user_id = :userId) as granted,
       coalesce((select jsonb_object_agg(s->>'id', s->'scopes') from deployments d, json_array_elements(d.card->'skills') s
         where d.deploy_id = :deployId and json_array_length(s->'scopes') > 0), '{}') as declared,
       (select t.skills from platform_tokens t where t.token_id = :tokenId) as token_skills,
       (select e.correspondent from mail_messages e where e.job_id = :mailJob) as sender,
       :names - (select count(*)::int from agents a where a.name = any(:through) and a.deleted_at is null and a.owner_id in (:ownerId, :userId)) as strangers
     from (values (1)) as call
     left join users u on u.user_id = :personId
     left join organizations acted on acted.organization_id = :userId
     left join organizations own on own.organization_id = :ownerId
     left join organization_members m on m.organization_id = own.organization_id and m.user_id = :personId and m.state = 'active'
       and (acted.organization_id = own.organization_id
         or (acted.organization_id is null and not exists (select 1 from sso_connections c where c.organization_id = own.organization_id and c.required)))`,
    {
      agentId,
      ownerId,
      deployId,
      userId,
      personId,
      tokenId: caller.kind === 'api_token' ? caller.id : null,
      mailJob: mail && through.length === 0 ? jobId : null,
      through: names,
      names: names.length,
    },
  );
  const [row] = rows;
  if (!row) throw new Error('a row of constants is always there');
  return row;
}

/** Undefined: no user called, or the account is gone. */
function accountOf(facts: Facts, { userId, personId, ownerId }: Calling): CallerAccount | undefined {
  if (userId === null || facts.user_id === null) return undefined;
  if (facts.org_id !== null && userId !== personId && userId !== ownerId)
    return { sub: `member:${facts.org_id}:${facts.user_id}`, user_id: null, email: null, org_id: facts.org_id, org_slug: facts.org_slug };
  const ofOwner = facts.role === null ? undefined : { org_id: facts.owner_org_id, org_slug: facts.owner_org_slug };
  const org = facts.org_id === null ? ofOwner : { org_id: facts.org_id, org_slug: facts.org_slug };
  return {
    sub: facts.user_id,
    user_id: facts.account_number,
    email: facts.person === true ? facts.email : null,
    org_id: org?.org_id ?? null,
    org_slug: org?.org_slug ?? null,
  };
}

/** The owner has all scopes, and so have members whose role lets them call; others what they were granted. */
function rightsOf(facts: Facts, { userId, personId, ownerId }: Calling): Pick<Caller, 'scopes' | 'trusted'> {
  const declared = [...new Set(Object.values(facts.declared).flat())];
  // The organization itself: what it scheduled acts for no person.
  const isOwner = userId === ownerId && (facts.owner_org_id === null || personId === ownerId);
  if (isOwner || (facts.role !== null && roleAllows(facts.role, 'agent.call'))) return { scopes: declared, trusted: true };
  const granted = declared.filter((scope) => facts.granted?.includes(scope));
  return { scopes: granted, trusted: facts.granted !== null };
}

/** Who gave it a skill gave it what the skill requires. */
function tokenScopes({ declared, token_skills }: Facts): string[] {
  return [...new Set(Object.entries(declared).flatMap(([skill, scopes]) => ((token_skills?.includes(skill) ?? true) ? scopes : [])))];
}

function isMail([first]: readonly string[]): boolean {
  return first !== undefined && first.endsWith(`/${ON_EMAIL}`);
}

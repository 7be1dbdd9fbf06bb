// For what a session acts that an organization's own sign-in made: only for that organization, until its
// person has linked the account. And when a session may act for an organization that demands its own sign-in:
// the connection that the organization has now made it, and not too long ago.
import { z } from 'zod';
import type { Membership, UserActor } from './ctx.ts';
import { Forbidden } from './errors.ts';

/**
 * How a session was made by an organization's own sign-in. `at`: of the sign-in, milliseconds since the
 * epoch. `whole`: the person had linked the account before, so that it acts for all of it.
 */
export const SsoProof = z.object({ connection_id: z.string(), at: z.number(), whole: z.literal(true).optional() });
export type SsoProof = z.infer<typeof SsoProof>;

/** What an organization demands; null: nothing. */
export interface SsoDemand {
  demanded_connection_id: string | null;
  demanded_hours: number | null;
}

const HOUR_MS = 3_600_000;
/** So recently a person has to have signed in for what they may do without the organization's own sign-in. */
const FRESH_MS = 15 * 60_000;

/** For a join of `sso_connections` as `c`: its columns as an SsoDemand. */
export const SSO_DEMAND = ['c.connection_id as demanded_connection_id', 'c.session_hours as demanded_hours'] as const;

export function meetsDemand(proof: SsoProof | undefined, { demanded_connection_id, demanded_hours }: SsoDemand): boolean {
  if (demanded_connection_id === null || demanded_hours === null) return true;
  return proof?.connection_id === demanded_connection_id && proof.at > Date.now() - demanded_hours * HOUR_MS;
}

export interface ProofRow {
  sso_connection_id: string | null;
  sso_whole_account: boolean;
  signed_in_at: Date | null;
  /** Of the connection, as it is now; null: it was removed. */
  sso_organization_id: string | null;
}

/** Of a row `t` with a join of SSO_OF: its columns as a ProofRow. */
export const PROOF = ['t.sso_connection_id', 't.sso_whole_account', 't.signed_in_at', 'made_by.organization_id as sso_organization_id'] as const;
/** For a left join of the connection that made a row `t`. */
export const SSO_OF = ['sso_connections as made_by', 'made_by.connection_id', 't.sso_connection_id'] as const;

/** What the actor of such a row has of it; undefined: its connection was removed, and it is over. */
export function proofOf(row: ProofRow): Pick<UserActor, 'sso' | 'limited_to'> | undefined {
  const { sso_connection_id: connection_id, signed_in_at, sso_organization_id } = row;
  if (connection_id === null || signed_in_at === null) return {};
  if (sso_organization_id === null) return undefined;
  const sso = { connection_id, at: signed_in_at.getTime() };
  return row.sso_whole_account ? { sso: { ...sso, whole: true } } : { sso, limited_to: sso_organization_id };
}

export function proofColumns(proof: SsoProof | undefined): { sso_connection_id?: string; sso_whole_account?: boolean; signed_in_at?: Date } {
  return proof === undefined ? {} : { sso_connection_id: proof.connection_id, sso_whole_account: proof.whole === true, signed_in_at: new Date(proof.at) };
}

/**
 * `of`: the organization that the session acts for. It is said alike of all others, whether they exist and
 * whether the person is in them.
 */
export function ssoLimited(of: Pick<Membership, 'slug'> | undefined): Forbidden {
  const by = of?.slug ?? 'an organization';
  return new Forbidden(
    'sso_limited',
    `You are signed in through the provider of ${by} and act for ${by} only: sign in without it (svc login) for anything else, or link your account on its page Sign-in`,
    of && { organization: of.slug },
  );
}

/**
 * At a browser where the person signed in a moment ago, by the installation's own sign-in. A token or an old
 * session that was stolen is not enough.
 */
export function signedInFreshly(actor: UserActor): boolean {
  return actor.via === 'session' && actor.sso === undefined && (actor.signed_in_at ?? 0) > Date.now() - FRESH_MS;
}

export function freshRequired(): Forbidden {
  return new Forbidden(
    'fresh_sign_in_required',
    'This takes a browser in which you signed in within the last 15 minutes, without the organization: sign out, sign in again at /v1/auth/oidc/start, then try again',
  );
}

export function ssoPath(slug: string): string {
  return `/v1/auth/sso/start?organization=${slug}`;
}

export function ssoRequired({ slug, role }: Pick<Membership, 'slug' | 'role'>): Forbidden {
  return new Forbidden(
    'sso_required',
    `${slug} takes only those who signed in by its own sign-in, not too long ago: open ${ssoPath(slug)} in a browser, or run "svc login --org ${slug}"`,
    { organization: slug, sign_in_path: ssoPath(slug), role },
  );
}

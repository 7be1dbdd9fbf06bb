// When a session may act for an organization that demands its own sign-in: the connection that the organization has now made it, and not too long ago.
import { z } from 'zod';
import type { Membership, UserActor } from './ctx.ts';
import { Forbidden } from './errors.ts';

/** How a session was made by an organization's own sign-in. `at`: of the sign-in, milliseconds since the epoch. */
export const SsoProof = z.object({ connection_id: z.string(), at: z.number() });
export type SsoProof = z.infer<typeof SsoProof>;

/** What an organization demands; null: nothing. */
export interface SsoDemand {
  sso_connection_id: string | null;
  sso_session_hours: number | null;
}

const HOUR_MS = 3_600_000;
/** So recently a person has to have signed in for what they may do without the organization's own sign-in. */
const FRESH_MS = 15 * 60_000;

/** For a join of `sso_connections` as `c`: its columns as an SsoDemand. */
export const SSO_DEMAND = ['c.connection_id as sso_connection_id', 'c.session_hours as sso_session_hours'] as const;

export function meetsDemand(proof: SsoProof | undefined, demand: SsoDemand): boolean {
  if (demand.sso_connection_id === null || demand.sso_session_hours === null) return true;
  return proof?.connection_id === demand.sso_connection_id && proof.at > Date.now() - demand.sso_session_hours * HOUR_MS;
}

/** The proof as two columns of a row keep it. */
export function proofOf(row: { sso_connection_id: string | null; signed_in_at: Date | null }): { sso?: SsoProof } {
  return row.sso_connection_id === null || row.signed_in_at === null ? {} : { sso: { connection_id: row.sso_connection_id, at: row.signed_in_at.getTime() } };
}

export function proofColumns(proof: SsoProof | undefined): { sso_connection_id?: string; signed_in_at?: Date } {
  return proof === undefined ? {} : { sso_connection_id: proof.connection_id, signed_in_at: new Date(proof.at) };
}

/** At a browser where the person signed in a moment ago, by the installation's own sign-in. A token or an old session that was stolen is not enough. */
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

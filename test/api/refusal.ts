// What a refusal says, and which refusals a route's declaration alone decides.
import { expect } from 'vitest';
import { SCIM_MEDIA } from '#api/http/scim-form.ts';
import { ADMITS } from '#api/http/scopes.ts';
import { ErrorResponse } from '#contract/error-response.ts';
import type { DeclaredRoute } from '#contract/inventory.ts';
import type { RouteSpec, Scope } from '#contract/kit.ts';
import { ScimError } from '#contract/orgs/scim.ts';
import type { Actor } from '#core/kernel/ctx.ts';
import { open } from './world.ts';

type Kind = Actor['kind'];
type Refusal = Partial<ErrorResponse['detail']> & { status: number; message: string };

/** SCIM has a form of its own, without codes and places. */
export function refusalIn({ status, headers }: Response, text: string): Refusal {
  if (!headers.get('content-type')?.startsWith(SCIM_MEDIA)) return { status, ...ErrorResponse.parse(JSON.parse(text)).detail };
  const told = ScimError.parse(JSON.parse(text));
  expect(told.status).toBe(String(status));
  return { status, message: told.detail };
}

export async function refusal(response: Response): Promise<Refusal> {
  return refusalIn(response, await response.text());
}

const admits = (scope: Scope, kind: Kind): boolean => (ADMITS[scope] as readonly Kind[]).includes(kind);

/**
 * What a caller of this kind is refused with, whosever the records are; undefined where the declaration lets
 * them further. Nobody here is an operator.
 */
export function refusalOfKind({ scope, agentTokens, agentSessions, runs }: RouteSpec, kind: Kind): { status: number; code?: string } | undefined {
  if (open(scope)) return undefined;
  const beside = (agentTokens && kind === 'api_token') || (agentSessions && kind === 'agent_session') || (runs && kind === 'run');
  if (beside || (admits(scope, kind) && scope !== 'operator')) return undefined;
  const [status, code] = kind === 'anonymous' ? [401, 'unauthenticated'] : [403, 'wrong_scope'];
  return scope === 'scim' ? { status } : { status, code };
}

/**
 * The specification: the detail of a bounty is publicly readable. A guest run is read by who has its token.
 */
const READ_BY_ALL = ['GET /v1/bounties/{slug}', 'GET /v1/agents/studio/guest-runs/{token}'];
// What a grant opens is judged by the grant: another's is 403.
const byGrant = ({ headers }: RouteSpec): boolean => headers !== undefined && 'svc-grant' in headers._zod.def.shape;

/** Whether another tenant's record is 404 there. */
export function hidesRecords({ spec }: DeclaredRoute): boolean {
  if (byGrant(spec) || READ_BY_ALL.includes(spec.at) || spec.params === undefined || !spec.errors.includes(404)) return false;
  return admits(spec.scope, 'user') && spec.scope !== 'operator' && !open(spec.scope);
}

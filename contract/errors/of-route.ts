// The codes that follow from a route's declaration: from its scope, its input and the records in its path.
// Verbs add their own.
import { errorStatuses, locate, type RouteSpec } from '../kit.ts';
import { ERRORS, type ErrorCode } from './index.ts';

/** The record that the path names does not exist, or belongs to another account. */
const MISSING: Record<string, ErrorCode> = {
  'agents/{name}': 'agent_not_found',
  '{deploy_id}': 'deployment_not_found',
  'api/runs/{run_id}': 'run_not_found',
  'meta-runs/{run_id}': 'meta_run_not_found',
  '{job_id}': 'job_not_found',
  '{thread_id}': 'thread_not_found',
  '{session_id}': 'session_not_found',
  '{sign_in_id}': 'sign_in_not_found',
  '{schedule_id}': 'schedule_not_found',
  '{dag_run_id}': 'dag_run_not_found',
  '{receipt_id}': 'receipt_not_found',
};

const SIGNED_IN: readonly ErrorCode[] = ['unauthenticated', 'authorization_malformed', 'token_invalid', 'token_expired', 'email_missing', 'user_gone'];

/** The codes known of a status; there may be others. */
export function knownCodes(spec: RouteSpec, status: number): ErrorCode[] {
  return candidates(spec).filter((code) => ERRORS[code].status === status);
}

function candidates(spec: RouteSpec): ErrorCode[] {
  const { path } = locate(spec);
  const open = spec.scope === 'public' || spec.scope === 'none';
  const statuses = errorStatuses(spec);
  return [
    ...(open ? [] : SIGNED_IN),
    ...(spec.runs || spec.scope === 'run' ? (['run_credential_invalid', 'run_busy'] as const) : []),
    ...(spec.scope === 'account' ? (['user_required'] as const) : []),
    ...(open ? [] : (['wrong_scope', 'cross_site', 'identity_provider_unreachable'] as const)),
    ...Object.entries(MISSING).flatMap(([place, code]) => (path.includes(place) ? [code] : [])),
    ...(spec.query && 'cursor' in spec.query._zod.def.shape ? (['bad_cursor'] as const) : []),
    ...(spec.limit ? (['rate_limited'] as const) : []),
    ...(spec.ranges ? (['changed_meanwhile', 'range_not_satisfiable'] as const) : []),
    ...(['body_too_large', 'invalid_input', 'request_timeout', 'content_encoding_unsupported', 'headers_too_large', 'disk_full', 'unavailable'] as const),
  ].filter((code) => {
    const { status } = ERRORS[code];
    return status === 408 || status === 415 || status === 431 || statuses.some((one) => one === status);
  });
}

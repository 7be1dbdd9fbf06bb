// Header names between callers, platform and agents. `x-svc-*` is the platform's word: the ingress strips it
// from the outside.

/**
 * A header's name as CGI, WSGI, Rack and PHP read it: to them `x_svc_user_id` and `x.svc.user.id` are
 * `x-svc-user-id`. What is dropped under one name is dropped under all of them.
 */
export function foldedName(name: string): string {
  const lower = name.toLowerCase();
  return /[^a-z0-9-]/.test(lower) ? lower.replaceAll(/[^a-z0-9-]/g, '-') : lower;
}

/** Where a request comes from, which only the hop that took it may say; `folded` by foldedName. */
export function isWhereFrom(folded: string): boolean {
  return folded === 'forwarded' || folded === 'x-real-ip' || folded === HEADER.guest || folded.startsWith('x-forwarded-');
}

export const HEADER = {
  /** The run a call became; answered by the agent's runtime. */
  runId: 'x-svc-run-id',
  /** Sent by the platform, echoed by the agent; made by the agent when absent. */
  requestId: 'x-request-id',
  /** The trace that the call belongs to, 32 hexadecimal digits; added by the platform. */
  traceId: 'x-svc-trace-id',
  /** The id of the sealed receipt; added by the platform. */
  receiptId: 'x-svc-receipt-id',
  /**
   * The caller's own Authorization, passed on by the platform, whose key takes the place of it; believed only
   * beside that key.
   */
  callerAuthorization: 'x-svc-caller-authorization',
  /**
   * What the run may do at the platform: an opaque credential the platform adds to each call; believed only
   * beside the agent's key.
   */
  runToken: 'x-svc-run-token',
  /**
   * The one skill that the run may be of, since its price was asked for: the agent executes no other.
   * Believed only beside the key.
   */
  pricedSkill: 'x-svc-priced-skill',
  /** Who calls (wire/caller.ts), signed for the instance that gets it (crypto/caller-token.ts). */
  caller: 'x-svc-caller',
  /**
   * The same of a person or token, in plain words for frameworks and resolvers that trust headers. Added by
   * the platform, believed only beside the key.
   */
  userId: 'x-svc-user-id',
  userSub: 'x-svc-user-sub',
  userNumber: 'x-svc-user-number',
  userEmail: 'x-svc-user-email',
  orgId: 'x-svc-org-id',
  orgSlug: 'x-svc-org-slug',
  userScopes: 'x-svc-user-scopes',
  /**
   * "1": the run continues when its caller's connection breaks; the platform follows it at
   * /runs/{run_id}/events. "wait": it does from the moment the platform asks a person for it; a caller that
   * waits for JSON then gets 202. Believed only beside the key.
   */
  detached: 'x-svc-detached',
  /**
   * Which life of the agent's process answers about detached runs: the same when it was put to sleep and
   * woken, another after a restart or in a clone. What another process does not know was lost; what the same
   * does not know never came.
   */
  process: 'x-svc-process',
  /**
   * Attempts of the run that were lost with their process: they count as retries of its skill. Trusted only
   * together with the key.
   */
  retried: 'x-svc-retried',
  /** With 410 for a run's events: the number of the oldest one kept. */
  oldestEvent: 'x-svc-oldest-event',
  /**
   * What the caller set for this agent (card: consumer_setup), JSON in ASCII by field. Added by the platform,
   * believed only beside the key.
   */
  setup: 'x-svc-setup',
  /**
   * Values of the same that are injected, sealed for the egress proxy of the agent's machines: the agent
   * passes them on and cannot read them.
   */
  setupSealed: 'x-svc-setup-sealed',
  /**
   * The instance a request comes from. The egress proxy of its machine adds it; the API trusts it on the
   * guest socket only.
   */
  guest: 'x-svc-guest',
  /**
   * A grant token a caller passes on. A credential that is verified, not trusted: so not an x-svc- header.
   */
  grant: 'svc-grant',
  /**
   * The slug of the organization that the request acts for, of which its sender is an active member; absent:
   * for themselves.
   */
  organization: 'svc-organization',
} as const;

/**
 * The header `Svc-Organization` for a link that the browser opens itself, and which cannot carry one: a
 * download. Taken of GET routes that answer a file; the same members are let in, by the same credentials. A
 * slug proves nothing, so it may stand in addresses and logs.
 */
export const ORGANIZATION_QUERY = 'svc_organization';

// The organization whose identity provider asks. api/http/route.ts has held its token against the address.
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { type Action, may } from '../../kernel/policy.ts';
import { Forbidden, PreconditionFailed } from '../../kernel/errors.ts';
import { SCIM_PREFIX, type ScimConditions } from '#contract/orgs/scim.ts';

export interface ScimOrganization {
  organization_id: string;
  slug: string;
  /** Where its SCIM addresses begin. */
  base: string;
}

/** @throws Forbidden wrong_scope */
export function scimOrganization({ actor, config }: Pick<Ctx, 'actor' | 'config'>, action: Action): ScimOrganization {
  if (!isScim(actor) || !may(actor, action, { owner: actor.organization_id }))
    throw new Forbidden('wrong_scope', 'Only a SCIM token of an organization may do this');
  const { organization_id, slug } = actor;
  return { organization_id, slug, base: scimBase(config.baseUrl, slug) };
}

function scimBase(baseUrl: string, slug: string): string {
  return `${baseUrl}${SCIM_PREFIX}/${slug}/v2`;
}

function isScim(actor: Actor): actor is Extract<Actor, { kind: 'org_scim' }> {
  return actor.kind === 'org_scim';
}

export function scimEtag(version: number): string {
  return `W/"${version}"`;
}

/** @throws PreconditionFailed scim_version where If-Match names other versions (RFC 7644 §3.14) */
export function checkVersion(version: number, conditions: ScimConditions): void {
  const { 'if-match': match } = conditions;
  if (match !== undefined && !names(match, version))
    throw new PreconditionFailed('scim_version', 'The resource has changed meanwhile: read it again, then change it');
}

/** True where the client has this version already. */
export function isKnown(version: number, conditions: ScimConditions): boolean {
  const { 'if-none-match': none } = conditions;
  return none !== undefined && names(none, version);
}

/** Tags are compared weakly: every one of ours is weak. */
function names(list: string, version: number): boolean {
  return list.split(',').some((tag) => {
    const one = tag.trim();
    return one === '*' || one.replace(/^W\//i, '').replaceAll('"', '') === String(version);
  });
}

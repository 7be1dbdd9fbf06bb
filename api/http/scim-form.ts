// Routes of SCIM answer in its own form (RFC 7644 §3.12, §8.1), whatever refuses: this is the one place that
// knows it.
import { SCIM_PREFIX, type ScimError, SCIM_ERROR_SCHEMA } from '#contract/orgs/scim.ts';
import type { ErrorCode } from '#contract/errors/index.ts';
import type { ErrorResponse } from '#contract/error-response.ts';

export const SCIM_MEDIA = 'application/scim+json';

/** RFC 7644 §3.12, table 9. What is left out has none. */
const SCIM_TYPES: Partial<Record<ErrorCode, ScimError['scimType']>> = {
  scim_filter_invalid: 'invalidFilter',
  scim_path_invalid: 'invalidPath',
  scim_value_invalid: 'invalidValue',
  scim_syntax_invalid: 'invalidSyntax',
  scim_no_target: 'noTarget',
  scim_attribute_read_only: 'mutability',
  scim_not_unique: 'uniqueness',
  invalid_input: 'invalidValue',
};

/** Only by the address: an answer without a route has this form too. */
export function isScim(url: string | undefined): boolean {
  return url !== undefined && url.startsWith(`${SCIM_PREFIX}/`);
}

/** The protocol knows no 422. */
export function scimStatus<S extends number>(status: S): Exclude<S, 422> | 400 {
  // Safe: 422 has just been taken out.
  return status === 422 ? 400 : (status as Exclude<S, 422>);
}

export function inScimForm({ status, body }: { status: number; body: ErrorResponse }): ScimError {
  const { code, message } = body.detail;
  const scimType = SCIM_TYPES[code as ErrorCode];
  return { schemas: [SCIM_ERROR_SCHEMA], status: String(scimStatus(status)), ...(scimType && { scimType }), detail: message };
}

import { newSecret } from '../kernel/secret.ts';

export const PLATFORM_TOKEN_PREFIX = 'svc_';

/** Of an organization's identity provider. */
export const SCIM_TOKEN_PREFIX = 'svc_scim_';

export function newScimToken(): string {
  return `${SCIM_TOKEN_PREFIX}${newSecret()}`;
}

export function newPlatformToken(): string {
  return `${PLATFORM_TOKEN_PREFIX}${newSecret()}`;
}

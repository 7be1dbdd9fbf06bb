import { newSecret } from '../kernel/secret.ts';

export const PLATFORM_TOKEN_PREFIX = 'svc_';

export function newPlatformToken(): string {
  return `${PLATFORM_TOKEN_PREFIX}${newSecret()}`;
}

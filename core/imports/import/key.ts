// The key of an imported agent's instance names it: the process that serves all of them finds by it which one
// is meant.
import { randomBytes } from 'node:crypto';

const PREFIX = 'svc_imp_';

export function newImportKey(instanceId: string): string {
  return `${PREFIX}${instanceId}.${randomBytes(32).toString('base64url')}`;
}

/** Of a bearer key; not yet believed. */
export function instanceOfKey(key: string): string | undefined {
  return /^svc_imp_(imp_[0-9a-f-]{36})\.[\w-]{43}$/.exec(key)?.[1];
}

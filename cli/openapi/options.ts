// Options that the openapi commands share.
import { UsageError } from '../lib/errors.ts';

/** Whether callers send a bearer token; by default they do not. */
export function bearerOption(requireBearer: boolean | undefined, isPublic: boolean | undefined): boolean {
  if (requireBearer && isPublic) throw new UsageError('Choose one of --require-bearer and --public.');
  return requireBearer === true;
}

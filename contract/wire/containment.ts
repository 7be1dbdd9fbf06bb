// What a grant allows, and whether a child allows no more than its parent. Pure: the platform, the runtime
// and every SDK decide alike.
import type { Grant } from './grant.ts';
import { escapeFrom, isPath, isPrefixWithin, isUnder, matcher } from './patterns.ts';

/** A grant is delegated at most this many times. */
export const MAX_GRANT_DEPTH = 8;

export type Access = 'read' | 'write';

export interface ContainmentFault {
  code:
    | 'wrong_bucket'
    | 'wrong_issuer'
    | 'too_deep'
    | 'outlives_parent'
    | 'wider_mode'
    | 'wider_outputs_prefix'
    | 'wider_patterns'
    /** The patterns are too intricate to prove anything about. */
    | 'undecided_patterns';
  message: string;
}

/** Why `child` may not be made from `parent`, which was delegated `parent.depth` times before. */
export function containmentFault(parent: Grant & { depth: number }, child: Grant): ContainmentFault | undefined {
  if (child.bucket !== parent.bucket) return { code: 'wrong_bucket', message: `The grant is about another workspace than ${child.bucket}` };
  if (child.issuer !== parent.audience) return { code: 'wrong_issuer', message: 'Only the agent that holds a grant can delegate from it' };
  if (!(parent.depth < MAX_GRANT_DEPTH)) return { code: 'too_deep', message: `A grant can be handed on ${MAX_GRANT_DEPTH} times at most` };
  if (!(child.expires_at <= parent.expires_at)) return { code: 'outlives_parent', message: 'A delegated grant ends no later than the one it comes from' };
  if (child.mode !== 'read_only' && child.mode !== parent.mode) {
    return { code: 'wider_mode', message: `The grant is ${parent.mode}: ${child.mode} is more than it allows` };
  }
  return prefixFault(parent, child) ?? patternsFault(parent, child);
}

function prefixFault(parent: Grant, child: Grant): ContainmentFault | undefined {
  if (parent.outputs_prefix === null || (child.outputs_prefix === null && child.mode === 'read_only')) return undefined;
  if (child.outputs_prefix !== null && isPrefixWithin(child.outputs_prefix, parent.outputs_prefix)) return undefined;
  return { code: 'wider_outputs_prefix', message: `The grant writes under ${parent.outputs_prefix}: set outputs_prefix to that or to a folder in it` };
}

function patternsFault(parent: Grant, child: Grant): ContainmentFault | undefined {
  const escapingPath = escapeFrom({ allow: child.allow_patterns, deny: child.deny_patterns }, { allow: parent.allow_patterns, deny: parent.deny_patterns });
  if (escapingPath === null) return undefined;
  if (escapingPath === undefined)
    return { code: 'undecided_patterns', message: 'The patterns are too intricate to show that the grant covers them: use simpler ones' };
  return { code: 'wider_patterns', message: `The patterns reach further than the grant: it does not cover ${JSON.stringify(escapingPath)}` };
}

/**
 * Whether the grant lets its holder read or write (also: delete) the path. Says nothing of its signature or
 * time.
 */
export function grantAllows(grant: Pick<Grant, 'mode' | 'allow_patterns' | 'deny_patterns' | 'outputs_prefix'>, path: string, access: Access): boolean {
  return grantFilter(grant, access)(path);
}

/** The same for many paths. */
export function grantFilter(grant: Pick<Grant, 'mode' | 'allow_patterns' | 'deny_patterns' | 'outputs_prefix'>, access: Access): (path: string) => boolean {
  if (access === 'write' && grant.mode !== 'read_write_overlay') return () => false;
  const [allowed, denied] = [matcher(grant.allow_patterns), matcher(grant.deny_patterns)];
  const prefix = access === 'write' ? grant.outputs_prefix : null;
  return (path) => isPath(path) && (prefix === null || isUnder(prefix, path)) && allowed(path) && !denied(path);
}

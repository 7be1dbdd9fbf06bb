// Entity tags and the conditions a change may be made under (RFC 9110, 13).
import { PreconditionFailed } from '../../kernel/errors.ts';

export interface Conditions {
  'if-match'?: string | undefined;
  'if-none-match'?: string | undefined;
}

export function etagOf(sha256: string): string {
  return `"${sha256}"`;
}

/** True when the header names the tag, or says `*`. `weak`: tags marked W/ count too. */
export function namesTag(header: string, sha256: string, { weak }: { weak: boolean }): boolean {
  const tags = header.split(',').map((tag) => tag.trim());
  return tags.some((tag) => tag === '*' || (weak ? tag.replace(/^W\//, '') : tag) === etagOf(sha256));
}

/** `current`: hash of what is there now, undefined for nothing. @throws PreconditionFailed */
export function checkConditions(conditions: Conditions, current: string | undefined): void {
  const match = conditions['if-match'];
  const noneMatch = conditions['if-none-match'];
  if (match !== undefined && (current === undefined || !namesTag(match, current, { weak: false }))) {
    throw new PreconditionFailed('changed_meanwhile', 'The file changed since you read it: read it again, then repeat your change', tagDetails(current));
  }
  if (noneMatch !== undefined && current !== undefined && namesTag(noneMatch, current, { weak: true })) {
    throw new PreconditionFailed('file_exists', 'There is a file at this path already: choose another, or leave If-None-Match out', tagDetails(current));
  }
}

function tagDetails(current: string | undefined): { etag: string | null } {
  return { etag: current === undefined ? null : etagOf(current) };
}

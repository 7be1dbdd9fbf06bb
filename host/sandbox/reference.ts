// An OCI image reference as a user writes it, in full: registry, repository, tag or digest.
export interface Reference {
  registry: string;
  repository: string;
  tag: string | undefined;
  digest: string | undefined;
}

const domain = /^(localhost|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+|\d{1,3}(?:\.\d{1,3}){3})(:\d{1,5})?$|^[a-z0-9-]+:\d{1,5}$/i;
const repositoryShape = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;

/** undefined for what is no reference. */
export function parseReference(text: string): Reference | undefined {
  const match = /^([^@\s]+?)(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(text);
  const name = match?.[1];
  if (name === undefined || text.length > 255) return undefined;
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const named = first !== '' && (first.includes('.') || first.includes(':') || first === 'localhost');
  if (named && !domain.test(first)) return undefined;
  const registry = named ? first.toLowerCase().replace(/^index\.docker\.io$/, 'docker.io') : 'docker.io';
  const rest = named ? name.slice(slash + 1) : name;
  const repository = registry === 'docker.io' && !rest.includes('/') ? `library/${rest}` : rest;
  if (!repositoryShape.test(repository)) return undefined;
  const digest = match?.[3];
  return { registry, repository, digest, tag: match?.[2] ?? (digest === undefined ? 'latest' : undefined) };
}

export const nameOf = ({ registry, repository, tag, digest }: Reference): string =>
  `${registry}/${repository}${digest === undefined ? `:${tag ?? 'latest'}` : `@${digest}`}`;

// Addresses of what a caller has here: svc://artifacts/<run>/<name> and svc://workspaces/<workspace>/<path>,
// each name percent-encoded. An artifact's link, as results of tools carry it, is its address too.

export type Address = { kind: 'artifact'; runId: string; name: string; link?: string } | { kind: 'file'; workspace: string; path: string };

export const ARTIFACT_TEMPLATE = 'svc://artifacts/{run}/{name}';
export const FILE_TEMPLATE = 'svc://workspaces/{workspace}/{+path}';

const MAX_LENGTH = 8192;

export function artifactAddress(runId: string, name: string): string {
  return `svc://artifacts/${encoded(runId)}/${encoded(name)}`;
}

export function fileAddress(workspace: string, path: string): string {
  return `svc://workspaces/${encoded(workspace)}/${path.split('/').map(encoded).join('/')}`;
}

/** Undefined: none of these, or one that means another place than it says. */
export function readAddress(uri: string): Address | undefined {
  if (uri.length > MAX_LENGTH || !uri.isWellFormed()) return undefined;
  const [, kind, rest] = /^svc:\/\/(artifacts|workspaces)\/([^?#]+)$/.exec(uri) ?? [];
  if (kind === undefined || rest === undefined) return linkOf(uri);
  const names = decoded(rest);
  const [first, ...more] = names ?? [];
  if (first === undefined || more.length === 0) return undefined;
  if (kind === 'workspaces') return { kind: 'file', workspace: first, path: more.join('/') };
  const [name] = more;
  return name !== undefined && more.length === 1 ? { kind: 'artifact', runId: first, name } : undefined;
}

/** The platform's link carries a token; one of an author's machine is not to be guessed. */
function linkOf(uri: string): Address | undefined {
  const url = /^https?:/.test(uri) ? URL.parse(uri) : null;
  if (!url || url.username !== '' || url.hash !== '') return undefined;
  const [, rest] = /^(?:\/v1\/agents\/[^/]+\/api\/files|\/artifacts)\/([^/]+\/[^/]+)$/.exec(url.pathname) ?? [];
  const [runId, name] = (rest && decoded(rest)) || [];
  return runId === undefined || name === undefined ? undefined : { kind: 'artifact', runId, name, link: url.searchParams.get('token') ?? '' };
}

/** Undefined: a name is empty, "." or "..", or hides a separator. */
function decoded(path: string): string[] | undefined {
  try {
    const names = path.split('/').map(decodeURIComponent);
    return names.some((name) => name === '' || name === '.' || name === '..' || /[/\\\p{Cc}]/u.test(name)) ? undefined : names;
  } catch {
    return undefined;
  }
}

function encoded(name: string): string {
  return encodeURIComponent(name);
}

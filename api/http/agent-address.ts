// Addresses below /v1/agents with a slash too many: clients join a path to an address that ends with one.
// They are served in place. Elsewhere a doubled slash stays what it is: a proxy before us that guards other
// paths by their beginning reads them as we do.
const DOUBLED = /^\/+v1\/+agents(?=\/)[^?]*\/\/|^\/+v1\/\/+agents(?=[/?]|$)|^\/\/+v1\/+agents(?=[/?]|$)/;

/** `url` is path and query. */
export function inOneSpelling(url: string): string {
  if (!url.includes('//') || !DOUBLED.test(url)) return url;
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  return path.replaceAll(/\/{2,}/g, '/') + (query === -1 ? '' : url.slice(query));
}

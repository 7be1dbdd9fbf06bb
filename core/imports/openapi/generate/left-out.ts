// What of a description becomes no operation, in words for whom imports it.
import { isJsonObject, type Json, objectOf } from './document.ts';
import { resolved } from './references.ts';

const MOST_NAMED = 5;

export function leftOut(document: Json): string[] {
  const paths = Object.entries(objectOf(document['paths'])).filter(([path]) => !path.startsWith('x-'));
  const trace = paths.flatMap(([path, value]) => (isJsonObject(resolved(document, value)?.['trace']) ? [`TRACE ${path}`] : []));
  const relative = paths.flatMap(([path]) => (path.startsWith('/') ? [] : [path]));
  const unresolved = paths.flatMap(([path, value]) => (resolved(document, value) ? [] : [path]));
  const webhooks = Object.keys(objectOf(document['webhooks']));
  return [
    ...named(trace, 'HTTP clients must not send TRACE'),
    ...named(relative, 'a path begins with /'),
    ...named(unresolved, 'what its $ref leads to is not in the description'),
    ...named(webhooks, 'webhooks are requests that the API sends'),
  ];
}

function named(names: readonly string[], why: string): string[] {
  if (names.length === 0) return [];
  const first = names.slice(0, MOST_NAMED).map((name) => name.slice(0, 100));
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return [`Left out: ${first.join(', ')}${more} (${why})`];
}

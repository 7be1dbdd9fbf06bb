// What the OpenAPI document says in words.
import type { RouteSpec, Scope } from '#contract/kit.ts';

export const REASONS: Record<number, string> = {
  200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'Done; no content', 302: 'For browsers (`Accept: text/html`): the same facts as a redirect',
  400: 'Bad request', 401: 'Not signed in, or the credentials do not hold', 402: 'Payment required', 403: 'Not allowed', 404: 'Not found, or not yours',
  405: 'Method not allowed', 409: 'In conflict with the present state', 410: 'Gone', 412: 'A condition (If-Match, If-None-Match) does not hold', 413: 'Too large', 415: 'The body has a media type that is not accepted',
  416: 'There are no such bytes; see Content-Range', 206: 'The range asked for', 304: 'Not modified', 422: 'Invalid input; every issue is listed with its path',
  408: 'The request was not complete in time', 429: 'Too many requests; see Retry-After', 431: 'The headers have more than 16384 bytes', 500: 'Our fault', 502: 'The agent, or a service behind us, failed', 503: 'Not available now', 504: 'No answer in time',
}; // prettier-ignore

const CALLERS: Record<Scope, string> = {
  run: 'For running agents only, with the credential of their run.',
  'source-token': 'For signed-in users, and who has a token of the repository.',
  none: 'Needs no credentials.',
  public: 'Needs no credentials.',
  optional: 'For everyone; who is signed in sees more.',
  authenticated: 'For signed-in users.',
  account: 'For signed-in users.',
  operator: 'For operators of the installation.',
  platform: 'For services of the platform.',
  scim: 'For the identity provider of an organization, with a SCIM token.',
  'agent-token': 'For signed-in users, and programs with a token of the agent.',
  'optional,agent-token': 'For everyone; who is signed in, or has a token of the agent, sees more.',
};

/** What the route declares of itself, then what follows from its declaration. */
export function descriptionOf(spec: RouteSpec): string {
  const also = [
    ...(spec.runs ? ['running agents with the credential of their run'] : []),
    ...(spec.agentTokens ? ['programs with a token of the agent'] : []),
    ...(spec.agentSessions ? ["agents with what they have of their visitor's session"] : []),
  ];
  const paged = spec.query !== undefined && 'cursor' in spec.query._zod.def.shape;
  return [
    ...(spec.description === undefined ? [] : [spec.description]),
    [CALLERS[spec.scope], ...(also.length === 0 ? [] : [`Also for ${also.join(', and ')}.`])].join(' '),
    ...(paged && !spec.pagesByLink ? ['Read page by page: send `next_cursor` of an answer as `cursor` of the next request; null ends the list.'] : []),
    ...(spec.pagesByLink ? ['Read page by page: the header Link of an answer, with rel="next", has the address of the next page.'] : []),
    ...(spec.limit ? ['Limited in how often it may be called: 429 with Retry-After.'] : []),
  ].join('\n\n');
}

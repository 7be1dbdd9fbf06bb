// The API itself: requests that cannot be read, limits, outages.
import { errors } from './kit.ts';

export const platformErrors = errors({
  user_not_found: { status: 404, meaning: 'There is no account of this id.', remedy: 'List the users: GET /v1/admin/users.' },
  setting_not_found: { status: 404, meaning: 'There is no setting of this name.', remedy: 'List the settings.' },
  flag_not_found: { status: 404, meaning: 'There is no feature flag of this key.', remedy: 'List the feature flags.' },
  flag_limit: { status: 409, meaning: 'The installation has as many feature flags as it may have.', remedy: 'Delete some that nothing reads.' },
  flag_overridden: {
    status: 409,
    meaning: 'Accounts have values that would not fit the changed flag.',
    remedy: 'Change those values first, or delete the flag.',
  },
  invalid_input: { status: 422, meaning: 'The input breaks the schema or rules of the route.', remedy: 'Correct the places named in issues.' },
  bad_cursor: { status: 400, meaning: 'The cursor is not valid.', remedy: 'Use next_cursor of the previous page, unchanged.' },
  route_not_found: { status: 404, meaning: 'The API has no such route.', remedy: 'See the API reference at /docs/api.' },
  unknown_host: { status: 421, meaning: 'Neither the API nor an agent has this host name.', remedy: 'Check the address.' },
  malformed_request: { status: 400, meaning: 'The bytes are not a valid HTTP/1.1 request.', remedy: 'Correct the client.' },
  request_timeout: { status: 408, meaning: 'The request was not complete in time.', remedy: 'Send it again.' },
  headers_too_large: { status: 431, meaning: 'The headers are larger than 16384 bytes.', remedy: 'Send fewer or shorter headers.' },
  chunk_extensions_too_large: { status: 413, meaning: 'The chunk extensions are larger than 16384 bytes.', remedy: 'Send the body without them.' },
  field_too_large: { status: 413, meaning: 'A field of the form is larger than the limit.', remedy: 'Shorten it, or send it as a file.' },
  own_account: { status: 409, meaning: 'An operator may not do this to their own account.', remedy: 'Ask another operator.' },
  token_limit_reached: { status: 409, meaning: 'The account has as many open service tokens as it may have.', remedy: 'Wait until one has expired.' },
  last_operator: { status: 409, meaning: 'No operator would be left.', remedy: 'Make another account an operator first.' },
  purge_under_way: { status: 409, meaning: 'A purge of the account is in progress and cannot be cancelled.', remedy: 'Follow that job.' },
  purge_failed: {
    status: null,
    meaning: 'A purge failed before its end; the data that it removed stay removed.',
    remedy: 'Fix what the message names, then purge again.',
  },
  call_limit: { status: 429, meaning: 'The account has made as many calls in this minute as an operator allows it.', remedy: 'Try again after Retry-After.' },
  rate_limited: { status: 429, meaning: 'Too many requests.', remedy: 'Try again after Retry-After.' },
  guest_unknown: { status: 400, meaning: 'The socket takes requests of agents only.', remedy: 'Use the public address of the API.' },
  not_for_agents: { status: 403, meaning: 'Agents may not use this route.', remedy: 'Use a route of the run context.' },
  cancelled: { status: 409, meaning: 'It was cancelled.', remedy: 'Start it again if it is still needed.' },
  internal: { status: 500, meaning: 'The platform failed.', remedy: 'Try again; name the request id when asking for help.' },
  unavailable: { status: 503, meaning: 'A part of the platform is restarting.', remedy: 'Try again in a moment.' },
});

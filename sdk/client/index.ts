// What @svc/client has: the API as typed calls, and its refusals.
export {
  ApiError,
  type Call,
  type CallInput,
  type CallOptions,
  type CallOutput,
  type Client,
  type ClientOptions,
  createClient,
  type RawBody,
} from '../../contract/client.ts';
export type { ErrorResponse } from '../../contract/error-response.ts';
export type { Contract } from '../../contract/index.ts';
export { pathTo } from '../../contract/path-to.ts';

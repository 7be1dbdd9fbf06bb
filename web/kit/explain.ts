// What went wrong, in the API's own words.
import { ApiError } from '#contract/client.ts';

export interface Explained {
  message: string;
  code: string | undefined;
  requestId: string | undefined;
  issues: { path: readonly (string | number)[]; message: string }[];
}

export function explain(error: unknown): Explained {
  if (error instanceof ApiError) {
    const { request_id: requestId, issues = [] } = error.detail;
    return { message: sentence(error.message), code: error.code, requestId, issues };
  }
  const isNetwork = error instanceof TypeError && /fetch|network|load failed/i.test(error.message);
  const message = isNetwork
    ? 'The platform cannot be reached. Check the network; this page tries again.'
    : error instanceof Error
      ? error.message
      : String(error);
  return { message, code: undefined, requestId: undefined, issues: [] };
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
}

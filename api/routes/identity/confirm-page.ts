// Where a sign-in link leads a browser that is not signed in: it says whose account it is, and asks.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathTo } from '#contract/path-to.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { CLI_CONFIRM_COOKIE } from '#core/identity/cookies.ts';
import { pendingConfirmation } from '#core/identity/cli-session/redeem.ts';
import { confirmSignInPage, messagePage, pageHeaders } from '#drivers/idp/pages.ts';
import { cookiesOf } from '../../http/request.ts';

export const CONFIRM_PATH = '/sign-in/confirm';

/** Takes GET /sign-in/confirm; false for every other request. */
export function confirmPage(ctx: Ctx): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== CONFIRM_PATH) return false;
    void show(ctx, request, response);
    return true;
  };
}

async function show(ctx: Ctx, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const cookie = cookiesOf(request.headers.cookie)[CLI_CONFIRM_COOKIE];
  try {
    const user = cookie === undefined ? undefined : await pendingConfirmation(ctx, cookie);
    if (!user) return void page(response, 410, messagePage('Nothing to confirm', 'This sign-in link was used or has expired. Ask for a new one.'));
    page(response, 200, confirmSignInPage({ action: pathTo('POST /v1/auth/cli-session/confirm'), email: user.email }));
  } catch {
    page(response, 503, messagePage('Try again', 'The page could not be shown just now.'));
  }
}

function page(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, pageHeaders()).end(html);
}

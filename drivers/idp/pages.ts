// The platform's few pages for people, at sign-in and at agents' addresses: plain HTML, one style sheet, no
// script.
import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; --ink: #14171f; --soft: #5b6472; --line: #d9dde5; --paper: #fff; --ground: #f4f5f8; --accent: #2f5bea; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceff5; --soft: #9aa4b5; --line: #333a48; --paper: #171b24; --ground: #0e1118; --accent: #7b9bff; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { width: 100%; max-width: 380px; background: var(--paper); border: 1px solid var(--line); border-radius: 14px; padding: 32px; }
.mark { font-weight: 700; letter-spacing: .02em; font-size: 15px; color: var(--accent); margin: 0 0 20px; }
h1 { font-size: 22px; line-height: 1.25; margin: 0 0 6px; letter-spacing: -.01em; }
p { margin: 0 0 20px; color: var(--soft); }
label { display: block; font-size: 14px; font-weight: 600; margin: 0 0 6px; }
input[type=email], input[type=password], input[type=text] { width: 100%; font: inherit; color: inherit; background: transparent;
  border: 1px solid var(--line); border-radius: 9px; padding: 10px 12px; margin: 0 0 16px; }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
button { width: 100%; font: inherit; font-weight: 600; border: 0; border-radius: 9px; padding: 11px 12px; background: var(--accent); color: #fff; cursor: pointer; }
@media (prefers-color-scheme: dark) { button { color: #0e1118; } }
button.second { background: transparent; color: var(--ink); border: 1px solid var(--line); margin-top: 10px; }
.bad { color: var(--bad); font-weight: 600; font-size: 14px; }
.code { font: 600 26px/1.2 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .12em; text-align: center; color: var(--ink); }
.small { font-size: 13px; margin: 18px 0 0; }
main.wide { max-width: 760px; align-self: start; }
main.wide h1, main.wide p { overflow-wrap: anywhere; }
main.wide .small { margin: 0 0 14px; }
h2 { font-size: 16px; margin: 0 0 4px; overflow-wrap: anywhere; }
section { border-top: 1px solid var(--line); padding: 20px 0 0; margin: 0 0 20px; }
section p { margin: 0 0 10px; white-space: pre-line; }
pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--ground); border-radius: 9px; padding: 10px 12px;
  margin: 0 0 10px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
a { color: var(--accent); }
form + form { margin-top: 20px; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Headers of every page. `formTargets`: origins a form may end up at by redirect, besides our own. */
export function pageHeaders(formTargets: readonly string[] = []): Record<string, string> {
  const formAction = ["'self'", ...formTargets].join(' ');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'; script-src 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/**
 * Headers of all the provider answers. oidc-provider adds the hash of the one script it has (a form that
 * sends itself).
 */
export function baselineHeaders(secure: boolean): Record<string, string> {
  return {
    'content-security-policy': "default-src 'none'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(secure ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  };
}

export function signInPage(page: { action: string; app: string; email: string; problem?: string | undefined; signUp: boolean }): string {
  const problem = page.problem === undefined ? '' : `<p class="bad" role="alert">${escapeHtml(page.problem)}</p>`;
  const [emailFocus, passwordFocus] = page.email === '' ? [' autofocus', ''] : ['', ' autofocus'];
  return layout(
    'Sign in',
    `
    <h1>Sign in</h1>
    <p>to continue to ${escapeHtml(page.app)}</p>
    ${problem}
    <form method="post" action="${escapeHtml(page.action)}">
      <label for="email">Email</label>
      <input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="${escapeHtml(page.email)}"${emailFocus}>
      <label for="password">Password</label>
      <input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024"${passwordFocus}>
      <button type="submit">Sign in</button>
    </form>${page.signUp ? `\n    <p class="small">New here? <a href="${escapeHtml(page.action)}?new=1">Create an account</a></p>` : ''}
    <p class="small">This machine's accounts and passwords are in <strong>secrets/local-accounts.json</strong> of its state folder (.svc).</p>`,
  );
}

export function deviceCodePage(page: { action: string; xsrf: string; userCode: string; problem?: string | undefined }): string {
  const problem = page.problem === undefined ? '' : `<p class="bad" role="alert">${escapeHtml(page.problem)}</p>`;
  return layout(
    'Connect a device',
    `
    <h1>Connect a device</h1>
    <p>Enter the code your device shows.</p>
    ${problem}
    <form method="post" action="${escapeHtml(page.action)}">
      <input type="hidden" name="xsrf" value="${escapeHtml(page.xsrf)}">
      <label for="user_code">Code</label>
      <input id="user_code" name="user_code" type="text" autocomplete="off" autocapitalize="characters" required maxlength="32" value="${escapeHtml(page.userCode)}" autofocus>
      <button type="submit">Continue</button>
    </form>`,
  );
}

export function deviceConfirmPage(page: { action: string; xsrf: string; userCode: string; app: string }): string {
  return layout(
    'Connect a device',
    `
    <h1>Is this your device?</h1>
    <p>${escapeHtml(page.app)} asks to be signed in as you. Continue only if your device shows exactly this code.</p>
    <p class="code">${escapeHtml(page.userCode)}</p>
    <form method="post" action="${escapeHtml(page.action)}">
      <input type="hidden" name="xsrf" value="${escapeHtml(page.xsrf)}">
      <input type="hidden" name="user_code" value="${escapeHtml(page.userCode)}">
      <button type="submit" name="confirm" value="yes">Yes, sign it in</button>
      <button class="second" type="submit" name="abort" value="yes">No</button>
    </form>`,
  );
}

export function signOutPage(page: { action: string; xsrf: string }): string {
  return layout(
    'Sign out',
    `
    <h1>Sign out?</h1>
    <p>You will be asked for your password next time.</p>
    <form method="post" action="${escapeHtml(page.action)}">
      <input type="hidden" name="xsrf" value="${escapeHtml(page.xsrf)}">
      <button type="submit" name="logout" value="yes">Sign out</button>
      <button class="second" type="submit">Stay signed in</button>
    </form>`,
  );
}

export function confirmSignInPage(page: { action: string; email: string }): string {
  return layout(
    'Confirm',
    `
    <h1>Sign in as ${escapeHtml(page.email)}?</h1>
    <p>A sign-in link for this account was opened in this browser. Continue only if you asked for it yourself.</p>
    <form method="post" action="${escapeHtml(page.action)}">
      <button type="submit">Yes, sign me in</button>
    </form>
    <p class="small">Otherwise close this page: no sign-in took place.</p>`,
  );
}

export function confirmAgentSessionPage(page: { action: string; code: string; email: string; agent: string }): string {
  return layout(
    'Confirm',
    `
    <h1>Continue as ${escapeHtml(page.email)}?</h1>
    <p>A link that signs this account in to the agent <strong>${escapeHtml(page.agent)}</strong> was opened in this browser. Continue only if it is your account and you asked for it.</p>
    <form method="post" action="${escapeHtml(page.action)}">
      <input type="hidden" name="code" value="${escapeHtml(page.code)}">
      <button type="submit">Yes, continue</button>
    </form>
    <p class="small">Otherwise close this page: no sign-in took place.</p>`,
  );
}

export function consentPage(page: { action: string; list: string; agent: string; email: string; next: string; token: string }): string {
  return layout(
    'Continue to an agent',
    `
    <h1>Let ${escapeHtml(page.agent)} know who you are?</h1>
    <p>The agent <strong>${escapeHtml(page.agent)}</strong> will know you as <strong>${escapeHtml(page.email)}</strong>. It gets neither your password nor your session here.</p>
    <form method="post" action="${escapeHtml(page.action)}">
      <input type="hidden" name="agent" value="${escapeHtml(page.agent)}">
      <input type="hidden" name="next" value="${escapeHtml(page.next)}">
      <input type="hidden" name="token" value="${escapeHtml(page.token)}">
      <button type="submit">Yes, continue</button>
    </form>
    <p class="small">Otherwise close this page. You are asked once for each agent and can <a href="${escapeHtml(page.list)}">take it back</a>.</p>`,
  );
}

export function consentsPage(page: { action: string; email: string; agents: { agent: string; since: string; token: string }[] }): string {
  const items = page.agents.map(
    ({ agent, since, token }) => `
    <form method="post" action="${escapeHtml(page.action)}">
      <input type="hidden" name="agent" value="${escapeHtml(agent)}">
      <input type="hidden" name="token" value="${escapeHtml(token)}">
      <p><strong>${escapeHtml(agent)}</strong>, since ${escapeHtml(since)}</p>
      <button class="second" type="submit">Take back</button>
    </form>`,
  );
  return layout(
    'Agents that know you',
    `
    <h1>Agents that know you</h1>
    <p>These agents may know you as ${escapeHtml(page.email)} when you open their pages. Taking it back signs you out there.</p>
    ${items.length === 0 ? '<p>There are none.</p>' : items.join('')}`,
  );
}

export function continuePage(page: { address: string; host: string }): string {
  return layout(
    'Continue',
    `
    <meta http-equiv="refresh" content="0; url=${escapeHtml(page.address)}">
    <h1>You are on your way to ${escapeHtml(page.host)}</h1>
    <p><a href="${escapeHtml(page.address)}">Continue</a>, if nothing happens.</p>`,
  );
}

export function endAgentSessionPage(page: { action: string; agent: string }): string {
  return layout(
    'Sign out',
    `
    <h1>Sign out of ${escapeHtml(page.agent)}?</h1>
    <p>Your session at the platform goes on.</p>
    <form method="post" action="${escapeHtml(page.action)}"><button type="submit">Sign out</button></form>`,
  );
}

export function messagePage(title: string, text: string): string {
  return layout(title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`);
}

export function layout(title: string, body: string, width: 'narrow' | 'wide' = 'narrow'): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · svc</title>
<style>${STYLE}</style>
</head>
<body><main class="${width}"><p class="mark">svc</p>${body}</main></body>
</html>
`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

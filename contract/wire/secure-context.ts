// What browsers allow only over https or at an address of their own machine ("secure contexts"): `Secure`
// cookies, with them sign-in, and `crypto.subtle`.

/**
 * Why nobody can sign in with a browser at this address, and what to do; undefined where they can. @param
 * baseUrl the platform's public URL
 */
export function insecureAddress(baseUrl: string): string | undefined {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || isOwnMachine(hostname)) return undefined;
  return (
    `Browsers cannot sign in at ${baseUrl}: over plain http they keep the session's cookie only at localhost. Put a proxy that speaks https in front ` +
    'and set SVC_BASE_URL to its https:// address, or open it through a tunnel: ssh -L 8080:localhost:8080 HOST, with SVC_BASE_URL unset.'
  );
}

/**
 * @param hostname of a URL, which has addresses in one spelling. Not by internet.ts: every page would load
 * its library
 */
export function isOwnMachine(hostname: string): boolean {
  return /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * @throws an error whose message says what to do, where the browser has no Web Crypto because the page came
 * over plain http
 */
export function webCrypto(): typeof crypto.subtle {
  const subtle: typeof crypto.subtle | undefined = crypto.subtle;
  if (!subtle)
    throw new Error('This browser can check digests and signatures only over https or at localhost: open the page there, or check with the svc command.');
  return subtle;
}

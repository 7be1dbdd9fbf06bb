// What is only the platform's at an agent's address: some paths, and credentials that it issued.

/** Only what could spell it is looked at closely. */
const SUSPECT = /%|\\|scope-grants|answers|runs/i;
const OURS_ALONE: readonly (string | undefined)[] = ['scope-grants', 'answers', 'runs'];

export function isOursAlone(path: string): boolean {
  return SUSPECT.test(path) && firstSegments(path).some((one) => OURS_ALONE.includes(one));
}

/**
 * As agents that decode and normalise would see it: with doubled slashes as segments of their own, which a
 * `..` can take away, and as one slash.
 */
function firstSegments(path: string): (string | undefined)[] {
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))).replaceAll('\\', '/');
  return [decoded, decoded.replaceAll(/\/{2,}/g, '/')].map(firstSegment);
}

function firstSegment(decoded: string): string | undefined {
  return new URL(`http://agent/${decoded.replace(/^\/+/, '')}`).pathname
    .split('/')
    .find((segment) => segment !== '')
    ?.toLowerCase();
}

/**
 * Tokens we issued: our prefix, or a JWT that names our issuer (verified or not: a forged one is not for an
 * agent either).
 */
export function issuedBy(issuer: string): (authorization: string) => boolean {
  return (authorization) => {
    const token = /^bearer\s+(\S+)\s*$/i.exec(authorization)?.[1] ?? '';
    if (token.startsWith('svc_')) return true;
    const [, payload, signature] = token.split('.');
    if (payload === undefined || signature === undefined) return false;
    try {
      // Loosely, on purpose: a value that could be read as a token of the platform is not sent to an agent.
      const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
      return typeof claims === 'object' && claims !== null && 'iss' in claims && claims.iss === issuer;
    } catch {
      return false;
    }
  };
}

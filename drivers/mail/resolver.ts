// The name servers as mail asks them: directly, with a short time, so that a slow server of a stranger's
// domain holds nothing up.
import { Resolver } from 'node:dns/promises';

/** `type` as `TXT`, `MX`, `A` …; rejects with code ENOTFOUND or ENODATA where there is nothing. */
export type MailResolver = (name: string, type: string) => Promise<string[] | string[][]>;

const PATIENCE_MS = 2_000;

export function createMailResolver(servers?: readonly string[]): MailResolver {
  return async (name, type) => {
    // A new one reads the system's servers as they are now.
    const resolver = new Resolver({ timeout: PATIENCE_MS, tries: 2 });
    if (servers) resolver.setServers([...servers]);
    return answersOf(await resolver.resolve(name, type));
  };
}

export function isAbsent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');
}

// Safe: the shapes differ by type, and each reader knows the type that it asked for.
function answersOf(found: unknown): string[] | string[][] {
  return found as string[] | string[][];
}

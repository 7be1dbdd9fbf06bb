import type { PlatformConfig } from '../../kernel/ctx.ts';

/**
 * The agent's address at a custom domain. By https of our own: the usual port, where the operator leads 443
 * here. Else as agents' own addresses are.
 */
export function domainUrl(config: PlatformConfig, hostname: string, ownTls: boolean): string {
  if (ownTls && config.domains?.https === true) return `https://${hostname}`;
  const port = /:\d+$/.exec(config.agentsDomain)?.[0] ?? '';
  return `${new URL(config.baseUrl).protocol}//${hostname}${port}`;
}

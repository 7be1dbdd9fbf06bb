import type { PlatformConfig } from '../../kernel/ctx.ts';

/** The agent's own address; its scheme is the platform's. */
export function agentUrl(config: PlatformConfig, name: string): string {
  return `${new URL(config.baseUrl).protocol}//${name}.${config.agentsDomain}`;
}

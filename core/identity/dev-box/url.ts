import { BOX_SUFFIX } from '#contract/wire/names.ts';
import { agentUrl } from '../../agents/agent/url.ts';
import type { PlatformConfig } from '../../kernel/ctx.ts';

/** The address of what a box serves; null where the label would be too long for DNS. */
export function boxUrl(config: PlatformConfig, agent: string): string | null {
  const label = `${agent}${BOX_SUFFIX}`;
  return label.length > 63 ? null : agentUrl(config, label);
}

import type { z } from 'zod';
import type { InstallationOut } from '#contract/platform/installation.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { may } from '../../kernel/policy.ts';
import { VERSION } from '#version.ts';

export function getInstallation(ctx: Ctx): z.infer<typeof InstallationOut> {
  const { agentsDomain, workflowsUrl } = ctx.config;
  const seesWorkflows = may(ctx.actor, 'workflows.read', { owner: null, operated: true });
  return { version: VERSION, agents_domain: agentsDomain, workflows_url: seesWorkflows ? (workflowsUrl ?? null) : null };
}

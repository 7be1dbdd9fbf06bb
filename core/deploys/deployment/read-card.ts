import type { z } from 'zod';
import type { DeploymentCardOut } from '#contract/deploys/deployment-cards.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { cardOf } from '../../agents/agent/present.ts';
import { deploymentFor } from './find.ts';

/** What the agent said of itself when this deployment was checked; kept as long as the deployment. */
export async function readDeploymentCard(ctx: Ctx, i: { name: string; deploy_id: string }): Promise<z.infer<typeof DeploymentCardOut>> {
  const { deploy_id, number, version, card } = await deploymentFor(ctx.db, ctx.actor, 'deployment.read', i);
  return { deploy_id, number, version, card: cardOf(card) };
}

// What an agent said of itself when one of its deployments was checked.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { AgentCard } from '../wire/card.ts';
import { AgentParams } from '../shared.ts';

export const DeploymentCardOut = z
  .strictObject({
    deploy_id: z.string(),
    number: z.int().min(1),
    version: z.string().nullable(),
    card: AgentCard.nullable().meta({ description: 'null: it ended before the agent was asked.' }),
  })
  .meta({ id: 'DeploymentCardOut' });

export const deploymentCards = svcGroup({
  deploymentCard: {
    at: 'GET /v1/agents/{name}/deployments/{deploy_id}/card',
    summary: 'The card of one deployment, whether it serves or not',
    scope: 'authenticated',
    params: AgentParams.extend({ deploy_id: z.string().regex(/^dep_[0-9a-f-]{36}$/, 'is not a deployment id') }),
    out: DeploymentCardOut,
    errors: [401, 403, 404],
  },
});

// What every way of deploying answers.
import { z } from 'zod';
import { DEPLOYMENT_STATES } from '../states.ts';

export const DeploymentState = z.enum(DEPLOYMENT_STATES).meta({ id: 'DeploymentState' });

export const AgentFromTarballOut = z
  .strictObject({
    name: z.string(),
    deploy_id: z.string(),
    job_id: z.string(),
    number: z.int(),
    state: DeploymentState,
    url: z.string(),
    source_sha256: z.string(),
  })
  .meta({ id: 'AgentFromTarballOut' });

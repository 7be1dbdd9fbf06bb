// What clients of ours need to know of the installation that they are at.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';

export const InstallationOut = z
  .strictObject({
    version: z.string(),
    agents_domain: z.string().meta({ description: 'What follows `<agent>.` in the addresses of agents.' }),
    workflows_url: z
      .string()
      .nullable()
      .meta({ description: 'For operators, where Temporal\'s Web UI is known: the list of workflows, which takes `?query=SvcJob="job_…"`.' }),
  })
  .meta({ id: 'InstallationOut' });

export const installation = svcGroup({
  get: { at: 'GET /v1/installation', summary: 'Describe this installation', scope: 'optional', out: InstallationOut, errors: [401, 403] },
});

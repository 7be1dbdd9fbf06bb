// A decision that waits for a person, as a thread and a turn show it: enough to decide by, wherever it is
// shown.
import { z } from 'zod';
import { RunWait } from '../runs/runs.ts';

export const WaitCard = z
  .strictObject({
    ...RunWait.shape,
    run_id: z.string().nullable().meta({ description: 'Null where a plan asks before it starts a run.' }),
    agent: z.string(),
    skill: z.string(),
    title: z.string().meta({ description: 'One line: who wants what.' }),
    choices: z.array(z.string()).optional().meta({ description: 'Words that may be answered with, where these are all there are.' }),
  })
  .meta({ id: 'WaitCard' });

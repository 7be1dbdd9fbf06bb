// Self-healing: what the platform did automatically when an agent failed.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Fault, Instant } from '../shared.ts';
import { REPAIR_ACTIONS, REPAIR_STATES, TEST_OUTCOMES } from '../states.ts';
import { SelfHealing } from '../wire/manifest.ts';

const RepairState = z.enum(REPAIR_STATES).meta({ id: 'RepairState' });

const RepairStepOut = z
  .strictObject({
    action: z.enum(REPAIR_ACTIONS).meta({ description: 'put_back: the newest version before that had answered calls.' }),
    at: Instant,
    deploy_id: z.string().nullable(),
    commit: z.string().nullable(),
    outcome: z.enum(['under_way', 'healed', 'failed']),
    detail: z.string(),
  })
  .meta({ id: 'RepairStepOut' });
type RepairStepOut = z.infer<typeof RepairStepOut>;

export const RepairOut = z
  .strictObject({
    repair_id: z.string(),
    job_id: z.string(),
    state: RepairState.meta({
      description: 'healed: a version is live and answers. awaiting_secret: set what missing_secrets names. needs_human: outcome says why.',
    }),
    failed_deploy_id: z.string(),
    error: Fault.meta({ description: 'Why the repair began: the code of the failure; the words of the agent are left out.' }),
    outcome: Fault.nullable().meta({ description: 'How it ended.' }),
    steps: z.array(RepairStepOut),
    missing_secrets: z.array(z.string()),
    changed_files: z.array(z.string()).meta({ description: 'Paths that differ between the version that failed and the one that was put back; 200 at most.' }),
    tests: z.enum(TEST_OUTCOMES).meta({ description: 'Checks of the started version: its health, its card, no failing call while it was watched.' }),
    commit: z.string().nullable().meta({ description: 'Commit that answers now.' }),
    deploy_id: z.string().nullable().meta({ description: 'Its deployment.' }),
    created_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'RepairOut' });
export type RepairOut = z.infer<typeof RepairOut>;

export const AgentSelfHealingOut = z
  .strictObject({
    policy: SelfHealing.nullable().meta({ description: 'Policy of the live version; null: svc.yaml has no self_healing.' }),
    repairs_today: z.int().min(0).meta({ description: 'In the last 24 hours.' }),
    repairs: z.array(RepairOut).meta({ description: 'Newest first.' }),
  })
  .meta({ id: 'AgentSelfHealingOut' });

export const selfHealing = group({
  selfHealing: {
    at: 'GET /v1/agents/{name}/self-healing',
    summary: 'The self-healing policy and what was repaired',
    description: 'For the owner. Neither arguments, nor results, nor what the agent wrote is in it.',
    scope: 'authenticated',
    params: AgentParams,
    query: z.object({ limit: z.int().min(1).max(100).default(20) }),
    out: AgentSelfHealingOut,
    errors: [401, 403, 404],
  },
});

// A deployment as the API answers it.
import type { z } from 'zod';
import type { AgentDeploymentOut } from '#contract/agents/agents.ts';

export const deploymentAt = (at: string): z.input<typeof AgentDeploymentOut> => ({
  deploy_id: 'dep_00000000-0000-7000-8000-000000000001',
  agent: 'text-kit',
  number: 1,
  state: 'live',
  version: '0.1.0',
  job_id: 'job_1',
  source_sha256: 'x',
  source_bytes: 1,
  source_commit: null,
  image: null,
  runs_on: null,
  warnings: [],
  error: null,
  waits_for: null,
  created_at: at,
  live_at: at,
  ended_at: null,
});

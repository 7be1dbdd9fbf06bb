import type { z } from 'zod';
import type { AgentDeploymentOut } from '#contract/agents/agents.ts';
import type { DeploymentsRow } from '#db/tables.ts';
import { storedFault } from '../../kernel/errors.ts';

export function presentDeployment(agent: string, d: DeploymentsRow, waitsFor: string | null = null): z.infer<typeof AgentDeploymentOut> {
  return {
    deploy_id: d.deploy_id,
    agent,
    number: d.number,
    state: d.state,
    version: d.version,
    job_id: d.job_id,
    source_sha256: d.source_sha256,
    source_bytes: d.source_bytes,
    source_commit: d.source_commit,
    image: d.image,
    runs_on: d.runs_on,
    warnings: warningsOf(d.warnings),
    error: storedFault(d.error),
    waits_for: waitsFor,
    created_at: d.created_at.toISOString(),
    live_at: d.live_at?.toISOString() ?? null,
    ended_at: d.ended_at?.toISOString() ?? null,
  };
}

// Safe: written by recordCard only, as a list of { code, message }.
function warningsOf(warnings: unknown): { code: string; message: string }[] {
  return warnings as { code: string; message: string }[];
}

// How agents look on the wire.
import type { z } from 'zod';
import type { AgentDetailOut, AgentMineOut, AgentMineSummaryOut, AgentOut } from '#contract/agents/agents.ts';
import type { SkillPriceOut } from '#contract/money/prices.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import type { PlatformConfig } from '../../kernel/ctx.ts';
import { presentJoined } from './present-import.ts';
import type { AgentView } from './select.ts';
import { agentUrl } from './url.ts';
import { storedFault } from '../../kernel/errors.ts';

type Listed = Omit<z.infer<typeof AgentOut>, 'mine'>;

function presentListed(config: PlatformConfig, a: AgentView): Listed {
  return {
    name: a.name,
    description: a.description,
    version: a.version,
    visibility: a.visibility,
    kind: a.kind,
    state: agentState(a),
    out_of_service: a.unwell_reason !== null && a.unwell_since ? { reason: a.unwell_reason, since: a.unwell_since.toISOString() } : null,
    url: agentUrl(config, a.name),
    tags: a.tags,
    skills: a.skills,
    created_at: a.created_at.toISOString(),
    updated_at: a.updated_at.toISOString(),
  };
}

export function presentAgent(config: PlatformConfig, userId: string, a: AgentView): z.infer<typeof AgentOut> {
  return { ...presentListed(config, a), mine: a.owner_id === userId };
}

export function presentAgentDetail(config: PlatformConfig, userId: string, a: AgentView, prices: SkillPriceOut[]): z.infer<typeof AgentDetailOut> {
  return { ...presentAgent(config, userId, a), reuse_policy: a.reuse_policy, card: cardOf(a.card), call_count: a.call_count, prices };
}

export function presentMine(config: PlatformConfig, a: AgentView): z.infer<typeof AgentMineOut> {
  return {
    ...presentListed(config, a),
    reuse_policy: a.reuse_policy,
    code_editor: a.code_editor,
    live_deploy_id: a.live_deploy_id,
    deploy_count: a.deploy_count,
    call_count: a.call_count,
    imported: presentJoined(a.imported),
    last_deployment:
      a.last_deploy_id && a.last_state && a.last_created_at
        ? {
            deploy_id: a.last_deploy_id,
            state: a.last_state,
            error: storedFault(a.last_error),
            created_at: a.last_created_at.toISOString(),
          }
        : null,
  };
}

export function presentSummary(config: PlatformConfig, a: AgentView): z.infer<typeof AgentMineSummaryOut> {
  return { name: a.name, state: agentState(a), visibility: a.visibility, version: a.version, url: agentUrl(config, a.name) };
}

function agentState(a: AgentView): Listed['state'] {
  if (a.live_deploy_id) return 'live';
  if (a.last_state === null) return 'registered';
  return a.last_state === 'failed' || a.last_state === 'cancelled' ? 'failed' : 'deploying';
}

// Safe: written by the deployment's verify step only, from a parsed card.
export function cardOf(card: unknown): z.infer<typeof AgentCard> | null {
  return card as z.infer<typeof AgentCard> | null;
}

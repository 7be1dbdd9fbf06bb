// A live agent as the API answers it.
import type { z } from 'zod';
import type { AgentDetailOut } from '#contract/agents/agents.ts';
import type { AgentCard } from '#contract/wire/card.ts';

const AT = '2026-11-22T04:00:00.000Z';

export const liveAgent = (name: string, card: AgentCard): z.input<typeof AgentDetailOut> => ({
  name,
  version: card.version,
  description: '',
  visibility: 'public',
  kind: 'hosted',
  state: 'live',
  out_of_service: null,
  url: 'http://x',
  tags: [],
  skills: [],
  created_at: AT,
  updated_at: AT,
  mine: true,
  reuse_policy: 'closed',
  card,
  call_count: 0,
  prices: [],
});

// What anyone may read, without credentials. Reads here never wake an agent.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant, nextCursor, pageQuery } from '../shared.ts';
import { AgentCard } from '../wire/card.ts';
import { BountyListOut, BountyOut, BountyParams } from '../money/bounties.ts';
import { REUSE_POLICIES } from '../states.ts';

export const PublicAgentOut = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    version: z.string().nullable(),
    tags: z.array(z.string()),
    skills: z.array(z.string()),
    url: z.string(),
    call_count: z.int().min(0),
    reuse_policy: z.enum(REUSE_POLICIES),
    updated_at: Instant,
  })
  .meta({ id: 'PublicAgentOut' });

export const PublicAgentDetailOut = PublicAgentOut.extend({ card: AgentCard.nullable() }).meta({ id: 'PublicAgentDetailOut' });
export const PublicAgentsOut = z.strictObject({ items: z.array(PublicAgentOut), next_cursor: nextCursor }).meta({ id: 'PublicAgentsOut' });

export const ReceiptKeysOut = z
  .strictObject({
    keys: z.array(
      z.strictObject({
        kid: z.string(),
        alg: z.literal('EdDSA'),
        public_key: z.string().meta({ description: 'Ed25519, 32 bytes, base64.' }),
        not_before: Instant.meta({ description: "Receipts that ended earlier are not this key's." }),
        not_after: Instant,
        current: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'ReceiptKeysOut', description: 'Every key that ever sealed a receipt; old ones stay.' });

export const publicRoutes = group({
  agents: {
    at: 'GET /v1/public/agents',
    summary: 'Public agents, best listings first',
    scope: 'public',
    query: pageQuery(24, 100).extend({ tag: z.string().max(64).optional() }),
    out: PublicAgentsOut,
    errors: [400],
  },
  agent: {
    at: 'GET /v1/public/agents/{name}',
    summary: 'A public agent and its card',
    scope: 'public',
    params: AgentParams,
    out: PublicAgentDetailOut,
    errors: [404],
  },
  bounties: {
    at: 'GET /v1/public/bounties',
    summary: 'Bounties that are open or claimed, newest first',
    scope: 'public',
    query: pageQuery(20, 100).extend({ tag: z.string().max(64).optional() }),
    out: BountyListOut,
    errors: [400],
  },
  bounty: {
    at: 'GET /v1/public/bounties/{slug}',
    summary: 'A bounty, in any state',
    scope: 'public',
    params: BountyParams,
    out: BountyOut,
    errors: [404],
  },
  receiptKeys: {
    at: 'GET /v1/public/receipt-keys',
    summary: 'Keys that verify receipts',
    scope: 'public',
    out: ReceiptKeysOut,
    errors: [],
  },
});

// What anyone may read, without credentials. Reads here never wake an agent.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant, nextCursor, pageQuery } from '../shared.ts';
import { AgentCard } from '../wire/card.ts';
import { SkillPriceOut } from '../money/prices.ts';
import { BountyListOut, BountyOut, BountyParams } from '../money/bounties.ts';
import { AgentSlug } from '../wire/names.ts';
import { ProofId, PublicProofDetailOut, PublicProofOut } from '../quality/agent-proofs.ts';
import { PROOF_STANDINGS, REUSE_POLICIES } from '../states.ts';

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

export const PublicAgentDetailOut = PublicAgentOut.extend({
  card: AgentCard.nullable(),
  prices: z.array(SkillPriceOut).meta({ description: 'What calls of its skills cost; a skill that is not named costs nothing.' }),
}).meta({ id: 'PublicAgentDetailOut' });
const PublicAgentsOut = z.strictObject({ items: z.array(PublicAgentOut), next_cursor: nextCursor }).meta({ id: 'PublicAgentsOut' });

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

const PublicProofsOut = z.strictObject({ items: z.array(PublicProofOut), next_cursor: nextCursor }).meta({ id: 'PublicProofsOut' });

const count = z.int().min(0);
const ProofCounts = z.strictObject({ passed: count, failed: count });

/** By the published proofs of an agent. */
export const ProofStandingOut = z
  .strictObject({
    agent: z.string(),
    standing: z.enum(PROOF_STANDINGS).meta({
      description: 'proven: the newest proof of every skill that has one passed; failing: one did not; withdrawn: of a skill, the owner took the newest back; stale: none is of the version that runs now, or the newest is too old; unproven: there is none.',
    }), // prettier-ignore
    live: ProofCounts.meta({ description: 'Numbers of the version that runs now.' }),
    all: ProofCounts.meta({ description: 'Numbers of all versions.' }),
    max_age_days: count.meta({ description: 'A proof that is older is stale.' }),
    latest: PublicProofDetailOut.nullable(),
  })
  .meta({ id: 'ProofStandingOut' });
export type ProofStandingOut = z.infer<typeof ProofStandingOut>;

export const ProofBadgeOut = z
  .strictObject({ schemaVersion: z.literal(1), label: z.string(), message: z.string(), color: z.string(), cacheSeconds: count })
  .meta({ id: 'ProofBadgeOut', description: 'As badge services read it: the endpoint badge of shields.' });
export type ProofBadgeOut = z.infer<typeof ProofBadgeOut>;

export const publicRoutes = group({
  agents: {
    at: 'GET /v1/public/agents',
    summary: 'Public agents, best listings first',
    scope: 'public',
    query: pageQuery(24, 100, [0, 10, 'greeter']).extend({ tag: z.string().max(64).optional() }),
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
  proofs: {
    at: 'GET /v1/public/agent-proofs',
    summary: 'Published proofs of public agents, newest first',
    scope: 'public',
    query: pageQuery(24, 100, ['m']).extend({ agent: AgentSlug.optional() }),
    out: PublicProofsOut,
    errors: [400],
  },
  latestProof: {
    at: 'GET /v1/public/agents/{name}/proof/latest',
    summary: 'Read the verdict of a public agent by its published proofs, with the newest; or its badge',
    description: 'format=badge gives what badge services read, format=svg (or Accept: image/svg+xml) a picture.',
    scope: 'public',
    params: AgentParams,
    query: z.object({ format: z.enum(['json', 'badge', 'svg']).optional() }),
    out: z.union([ProofStandingOut, ProofBadgeOut]),
    picture: true,
    errors: [404],
  },
  proof: {
    at: 'GET /v1/public/agents/{name}/proofs/{proof_id}',
    summary: 'A published proof, with all that it takes to check it',
    scope: 'public',
    params: AgentParams.extend({ proof_id: ProofId }),
    out: PublicProofDetailOut,
    errors: [404],
  },
  receiptKeys: {
    at: 'GET /v1/public/receipt-keys',
    summary: 'Keys that verify receipts and proofs',
    scope: 'public',
    out: ReceiptKeysOut,
    errors: [],
  },
});

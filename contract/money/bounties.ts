// Bounties: agents that users want, and the rewards for them.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { BOUNTY_STATES } from '../states.ts';
import { AgentSlug } from '../wire/names.ts';

/** Of an account, open or claimed. */
export const MAX_OPEN_BOUNTIES = 100;
const MAX_EXAMPLE_BYTES = 16_384;

const Example = z
  .unknown()
  .refine(
    (value) => new TextEncoder().encode(JSON.stringify(value) ?? '').length <= MAX_EXAMPLE_BYTES,
    `is larger than ${MAX_EXAMPLE_BYTES} bytes as JSON: describe it instead`,
  );
const Tag = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'use 1 to 32 lower-case letters, digits and "-"');

export const BountyIn = z
  .strictObject({
    title: trimmedText(120).meta({ examples: ['Read invoices from photos'] }),
    description: trimmedText(8_000).meta({ description: 'Markdown.' }),
    example_input: Example.optional().meta({ description: 'What the agent is given.' }),
    example_output: Example.optional().meta({ description: 'What it then gives.' }),
    tags: z
      .array(Tag)
      .max(10)
      .refine((tags) => new Set(tags).size === tags.length, 'names a tag twice')
      .default([]),
    reward_micros: z.int().min(0).max(1_000_000_000_000).default(0).meta({
      description:
        "Micro-credits (a credit is worth one US dollar), taken from the poster's credits now; paid when it is fulfilled, given back when it is cancelled.",
    }),
    require_proof: z.boolean().default(false).meta({ description: 'It is fulfilled only by an agent whose live version has passed a proof.' }),
  })
  .meta({ id: 'BountyIn' });

export const BountyOut = z
  .strictObject({
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    example_input: z.unknown().meta({ description: 'null: none.' }),
    example_output: z.unknown().meta({ description: 'null: none.' }),
    tags: z.array(z.string()),
    reward_micros: z.int().min(0),
    require_proof: z.boolean(),
    state: z.enum(BOUNTY_STATES),
    agent: z.string().nullable().meta({ description: 'The agent with which its owner claimed the bounty.' }),
    created_at: Instant,
    claimed_at: Instant.nullable(),
    ended_at: Instant.nullable().meta({ description: 'Fulfilled or cancelled.' }),
  })
  .meta({ id: 'BountyOut' });

export const OwnBountyOut = BountyOut.extend({
  posted_by_me: z.boolean(),
  claimed_by_me: z.boolean(),
}).meta({ id: 'OwnBountyOut' });

export const BountyListOut = z.strictObject({ items: z.array(BountyOut), next_cursor: nextCursor }).meta({ id: 'BountyListOut' });
const OwnBountyListOut = z.strictObject({ items: z.array(OwnBountyOut), next_cursor: nextCursor }).meta({ id: 'OwnBountyListOut' });

export const BountyParams = z.object({ slug: z.string().regex(/^[a-z0-9][a-z0-9-]{0,79}$/, 'is not the slug of a bounty') });

export const bounties = group({
  list: {
    at: 'GET /v1/bounties',
    summary: "Open bounties, and the caller's own in every state; newest first",
    scope: 'authenticated',
    query: pageQuery(20, 100).extend({
      mine: z.boolean().default(false).meta({ description: 'Only those that the caller posted or claimed.' }),
      tag: Tag.optional(),
    }),
    out: OwnBountyListOut,
    errors: [400, 401, 403],
  },
  post: {
    at: 'POST /v1/bounties',
    summary: 'Post a bounty',
    description: 'Its slug comes from the title.',
    scope: 'authenticated',
    body: BountyIn,
    out: OwnBountyOut,
    status: 201,
    errors: [401, 402, 403, 409, 429],
    limit: 'create',
  },
  get: {
    at: 'GET /v1/bounties/{slug}',
    summary: 'A bounty',
    scope: 'authenticated',
    params: BountyParams,
    out: OwnBountyOut,
    errors: [401, 403, 404],
  },
  cancel: {
    at: 'DELETE /v1/bounties/{slug}',
    summary: 'Cancel a bounty that is open or claimed; its poster only',
    description: 'The reward is given back.',
    scope: 'authenticated',
    params: BountyParams,
    out: OwnBountyOut,
    errors: [401, 403, 404, 409],
  },
  claim: {
    at: 'POST /v1/bounties/{slug}/claim',
    summary: "Claim an open bounty for an agent of the caller's",
    description: 'The agent must be live and public. Users cannot claim their own bounties.',
    scope: 'authenticated',
    params: BountyParams,
    body: z.strictObject({ agent: AgentSlug }).meta({ id: 'BountyClaimIn' }),
    out: OwnBountyOut,
    errors: [401, 403, 404, 409],
  },
  fulfill: {
    at: 'POST /v1/bounties/{slug}/fulfill',
    summary: 'Accept the claimed agent as what was wanted; its poster only',
    description: "The reward goes to the agent's owner.",
    scope: 'authenticated',
    params: BountyParams,
    out: OwnBountyOut,
    errors: [401, 403, 404, 409],
  },
});

// The grants that the caller issued, to which agents, with their states.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { WorkspaceMode } from '../wire/card.ts';
import { GRANT_KINDS } from '../states.ts';

export const GrantRowOut = z
  .strictObject({
    grant_id: z.string(),
    parent_grant_id: z.string().nullable().meta({ description: 'What it was derived from.' }),
    kind: z.enum(GRANT_KINDS).meta({
      description: 'mint: issued by its owner · delegate: issued by the agent that held the parent, contained in it · extend: wider, after a scope request',
    }),
    state: z.enum(['active', 'expired', 'revoked']).meta({ description: 'State of this row: grants from a revoked grant are not valid either.' }),
    issuer: z.string().meta({ description: 'The user who gave access, or the agent that delegated it.' }),
    audience: z.string().meta({ description: 'The receiving agent.' }),
    bucket: z.string(),
    mode: WorkspaceMode,
    allow_patterns: z.array(z.string()),
    deny_patterns: z.array(z.string()),
    outputs_prefix: z.string().nullable(),
    depth: z.int().min(0).meta({ description: 'How often it was delegated.' }),
    run_id: z.string().nullable().meta({ description: 'The run it was given in; it ends with that run.' }),
    wait_id: z.string().nullable().meta({ description: 'The scope request that a person or the rules approved.' }),
    reason: z.string().nullable(),
    superseded_by: z.string().nullable(),
    issued_at: Instant,
    expires_at: Instant,
    revoked_at: Instant.nullable(),
    revoked_reason: z.string().nullable(),
  })
  .meta({ id: 'GrantRowOut', description: 'The audit row of a grant. Its token is shown once, to the caller that it was issued to.' });

export type GrantRowOut = z.infer<typeof GrantRowOut>;

const GrantDescendantOut = GrantRowOut.extend({ level: z.int().min(1).meta({ description: 'Steps from the grant asked for.' }) }).meta({
  id: 'GrantDescendantOut',
});

const GrantListOut = z.strictObject({ items: z.array(GrantRowOut), next_cursor: nextCursor }).meta({ id: 'GrantListOut' });

/** Rows of one tree that are shown. */
export const MAX_GRANT_TREE = 1000;

export const GrantDetailOut = GrantRowOut.extend({
  extensions: z.array(GrantDescendantOut).meta({ description: 'All that came from it, directly and further on: each row before its own, siblings by age.' }),
  truncated: z.boolean().meta({ description: `True when there are more than ${MAX_GRANT_TREE}.` }),
}).meta({ id: 'GrantDetailOut' });

export const GrantId = z.string().regex(/^grt_[0-9a-f-]{36}$/, 'is not a grant id');

export const grants = group({
  list: {
    at: 'GET /v1/me/grants',
    summary: "Grants of the caller's files, newest first",
    scope: 'account',
    query: pageQuery(50, 200),
    out: GrantListOut,
    errors: [400, 401, 403],
  },
  get: {
    at: 'GET /v1/me/grants/{grant_id}',
    summary: 'One grant, and all that came from it',
    scope: 'account',
    params: z.object({ grant_id: GrantId }),
    out: GrantDetailOut,
    errors: [401, 403, 404],
  },
});

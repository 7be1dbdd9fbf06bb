// A grant: who may do what in which workspace, and until when. The token's signing comes with the grant service.
import { z } from 'zod';
import { WorkspaceMode } from './card.ts';

const epochSeconds = z.int().min(0).default(0);

export const Grant = z
  .strictObject({
    grant_id: z.string().min(1).max(128),
    issuer: z.string().min(1).max(256).meta({ description: 'Who gave access.' }),
    audience: z.string().min(1).max(256).meta({ description: 'The receiving agent.' }),
    bucket: z.string().min(1).max(256),
    mode: WorkspaceMode,
    allow_patterns: z.array(z.string()).default(['**']),
    deny_patterns: z.array(z.string()).default([]),
    outputs_prefix: z.string().nullable().default(null),
    expires_at: epochSeconds.meta({ description: 'Epoch seconds.' }),
    issued_at: epochSeconds.meta({ description: 'Epoch seconds.' }),
    nonce: z.string().min(8).max(128),
  })
  .meta({ id: 'Grant' });
export type Grant = z.infer<typeof Grant>;

/** Default lifetimes, in seconds. */
export const GRANT_TTL_SECONDS = 300;
export const SCOPE_REQUEST_TTL_SECONDS = 60;

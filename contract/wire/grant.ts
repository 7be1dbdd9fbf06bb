// A grant: who may do what in which workspace, and until when. Its signed form is ../crypto/grant-token.ts.
import { z } from 'zod';
import { WorkspaceMode } from './card.ts';
import { FOLDER_SYNTAX, GLOB_SYNTAX } from './path-syntax.ts';
import { isPattern, isPrefix, MAX_PATTERN_LENGTH } from './patterns.ts';

/**
 * A path pattern: `**` any path, `*` and `?` within one segment; relative, "/" between segments. The rules:
 * patterns.ts.
 */
export const PathPattern = z
  .string()
  .min(1)
  .refine(isPattern, 'is not a path pattern: relative, "/" between segments, "**" only as a whole segment, 256 characters at most')
  .meta({ pattern: GLOB_SYNTAX, maxLength: MAX_PATTERN_LENGTH, examples: ['docs/**', '**/*.md'] });
/** A folder to write into. */
export const OutputsPrefix = z
  .string()
  .min(1)
  .refine(isPrefix, 'is not a folder: relative, "/" between segments, no "*" or "?", 256 characters at most')
  .meta({ pattern: FOLDER_SYNTAX, maxLength: MAX_PATTERN_LENGTH - 3, examples: ['outputs'] });
export const MAX_PATTERNS = 64;

const epochSeconds = z.int().min(0).default(0);

export const Grant = z
  .strictObject({
    grant_id: z.string().min(1).max(128),
    issuer: z.string().min(1).max(256).meta({ description: 'The user or agent who gave access.' }),
    audience: z.string().min(1).max(256).meta({ description: 'The receiving agent.' }),
    bucket: z.string().min(1).max(256),
    mode: WorkspaceMode,
    allow_patterns: z.array(PathPattern).max(MAX_PATTERNS).default(['**']),
    deny_patterns: z.array(PathPattern).max(MAX_PATTERNS).default([]),
    outputs_prefix: OutputsPrefix.nullable().default(null),
    expires_at: epochSeconds.meta({ description: 'Epoch seconds.' }),
    issued_at: epochSeconds.meta({ description: 'Epoch seconds.' }),
    nonce: z.string().min(8).max(128),
  })
  .meta({ id: 'Grant' });
export type Grant = z.infer<typeof Grant>;

/**
 * A token travels in a header, and servers take 16 KiB of headers in all. A grant that needs more is not
 * signed.
 */
export const MAX_GRANT_TOKEN_LENGTH = 12_288;

/** Default lifetimes, in seconds. */
export const GRANT_TTL_SECONDS = 300;
export const SCOPE_REQUEST_TTL_SECONDS = 60;

// Short-lived tokens for source control, each of one owner's one repository.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant } from '../shared.ts';
import { SOURCE_TOKEN_MODES } from '../states.ts';
import { AgentSlug } from '../wire/names.ts';

const mode = z.enum(SOURCE_TOKEN_MODES);

export const ScmTokenIn = z
  .strictObject({
    owner: z
      .string()
      .min(1)
      .max(64)
      .meta({ description: 'User id of the account.', examples: ['usr_0190a6b0-0000-7000-8000-000000000000'] }),
    repository: AgentSlug.meta({ description: 'Name of the agent.' }),
    mode: mode.default('read'),
  })
  .meta({ id: 'ScmTokenIn' });

export const ScmTokenOut = z
  .strictObject({
    token_name: z.string().meta({ description: 'Names the token when it is released.' }),
    token: z.string().meta({ description: 'Shown this once. For git the password, with any user name; for the file API a bearer token.' }),
    owner: z.string(),
    repository: z.string(),
    mode,
    clone_url: z.string(),
    expires_at: Instant,
  })
  .meta({ id: 'ScmTokenOut' });

export const scmTokens = group({
  createScmToken: {
    at: 'POST /v1/platform/scm-token',
    summary: "Make a token for one owner's one repository; it holds for 15 minutes",
    scope: 'platform',
    body: ScmTokenIn,
    out: ScmTokenOut,
    status: 201,
    errors: [401, 403, 404],
  },
  releaseScmToken: {
    at: 'DELETE /v1/platform/scm-token/{token_name}',
    summary: 'Release such a token at once',
    description: 'Idempotent: also of a token that is unknown or has expired.',
    scope: 'platform',
    params: z.object({ token_name: z.string().regex(/^sct_[0-9a-f-]{36}$/, 'is not the name of a source token') }),
    status: 204,
    errors: [401, 403],
  },
});

// Tokens by which a service of the platform calls the platform's own routes. They open nothing of any
// account.
import { z } from 'zod';
import { Instant } from '../shared.ts';

/** Open ones of one account. */
export const MAX_SERVICE_TOKENS = 20;
const MAX_SERVICE_TOKEN_SECONDS = 86_400;

const PlatformRoute = z
  .string()
  .regex(/^(?:GET|HEAD|POST|PUT|PATCH|DELETE) \/v1\/[\w/{}.:-]{1,200}$/, 'is not a method and the path of a route, as POST /v1/platform/agent-session/verify')
  .meta({ examples: ['POST /v1/platform/agent-session/verify'] });

export const ServiceTokenIn = z
  .strictObject({
    service: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,62}$/, 'use lower-case letters, digits and -, beginning with a letter')
      .meta({ description: 'Which service gets it; the audit log names it.', examples: ['mail-gateway'] }),
    routes: z.array(PlatformRoute).min(1).max(50).meta({ description: 'Routes of scope platform that it opens, and no others.' }),
    expires_in_seconds: z.int().min(60).max(MAX_SERVICE_TOKEN_SECONDS).default(3_600),
  })
  .meta({ id: 'ServiceTokenIn' });

export const ServiceTokenOut = z
  .strictObject({
    token_id: z.string(),
    user_id: z.string(),
    service: z.string(),
    routes: z.array(z.string()),
    created_at: Instant,
    expires_at: Instant,
    token: z.string().meta({ description: 'Shown this once. Send it as Authorization: Bearer <token>.' }),
  })
  .meta({ id: 'ServiceTokenOut' });

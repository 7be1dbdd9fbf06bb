// An operator shows, before something grave, that the identity provider still calls them one.
import { z } from 'zod';
import { Instant } from '../shared.ts';

export const OperatorLoginIn = z
  .strictObject({
    access_token: z.string().min(1).max(8_192).meta({ description: 'Access token of the identity provider, for this platform, of the requesting account.' }),
  })
  .meta({ id: 'OperatorLoginIn' });

export const OperatorLoginOut = z
  .strictObject({
    user_id: z.string(),
    email: z.string(),
    issuer: z.string(),
    operator: z.literal(true),
    expires_at: Instant.meta({ description: 'End of the token.' }),
  })
  .meta({ id: 'OperatorLoginOut' });

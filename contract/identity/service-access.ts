// The services that the platform runs for an account, and whether each works now.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant } from '../shared.ts';

export const MANAGED_SERVICES = ['model_routing', 'source_hosting', 'database', 'mailbox', 'object_storage', 'tracing'] as const;

const ServiceStatus = z.enum(['works', 'unchecked', 'failing', 'not_configured', 'not_available']).meta({
  id: 'ServiceStatus',
  description:
    'works: checked, and it worked. unchecked: it was not used or checked yet. failing: the last check or use failed. not_configured: the account has to set it up. not_available: this installation has no such service.',
});

export const ServiceAccess = z
  .strictObject({
    service: z.enum(MANAGED_SERVICES),
    status: ServiceStatus,
    reason: z.string().nullable().meta({ description: 'Why it does not work, and what to do; null where it works.' }),
    link: z.string().nullable().meta({ description: 'Path of the API where one sees or sets it up.' }),
    credential: z.string().nullable().meta({ description: 'Name of the credential of the account that it uses; never the credential.' }),
    last_error: z.strictObject({ code: z.string(), message: z.string().nullable(), at: Instant }).nullable(),
    checked_at: Instant.nullable().meta({ description: 'Time of the check or use that the status comes from.' }),
  })
  .meta({ id: 'ServiceAccess' });
export type ServiceAccess = z.infer<typeof ServiceAccess>;

export const serviceAccess = group({
  get: {
    at: 'GET /v1/me/service-access',
    summary: 'Managed services of the account: which work, and what is wrong with the others',
    description: 'Source hosting and object storage are tried, at most every ten seconds; model routing shows the last check or use of the default credential.',
    scope: 'account',
    personal: true,
    out: z.strictObject({ items: z.array(ServiceAccess) }).meta({ id: 'ServiceAccessOut' }),
    errors: [401, 403],
  },
});

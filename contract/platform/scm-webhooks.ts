// What source hosting outside this process (Forgejo, GitHub) says of pushes: signed, each taken once.
import { z } from 'zod';
import { bytes, group } from '../kit.ts';

export const MAX_WEBHOOK_BYTES = 1024 * 1024;

const header = z.string().max(300).optional();
const headers = z.object({
  'x-forgejo-event': header,
  'x-forgejo-delivery': header,
  'x-forgejo-signature': header.meta({ description: 'HMAC-SHA256 of the body as it is sent, hexadecimal.' }),
  'x-github-event': header,
  'x-github-delivery': header,
  'x-hub-signature-256': header.meta({ description: 'The same after "sha256=".' }),
});

export const ScmWebhookOut = z
  .strictObject({
    accepted: z.boolean().meta({ description: 'A deployment was queued.' }),
    reason: z.enum(['deploying', 'not_a_push', 'replayed', 'too_old', 'other_branch', 'deleted', 'already_deployed']),
    deploy_id: z.string().nullable(),
  })
  .meta({ id: 'ScmWebhookOut' });

const push = {
  scope: 'platform',
  signed: ['x-forgejo-signature', 'x-hub-signature-256'],
  headers,
  body: bytes('application/json'),
  out: ScmWebhookOut,
  errors: [400, 401, 402, 403, 404, 409, 413, 502, 503],
} as const;

export const scmWebhooks = group({
  runtimePush: {
    at: 'POST /v1/platform/scm/webhooks/runtime-push',
    summary: 'A push event of the hosting that builds deploy from',
    description:
      'Its signature replaces credentials: Forgejo and GitHub send no others. Of a repository `owner/agent`. The commit is deployed when it is the new head of the default branch. 503 where the installation has no secret for webhooks.',
    ...push,
  },
  sourcePush: {
    at: 'POST /v1/platform/scm/webhooks/source-push',
    summary: "A push event of the hosting that keeps people's source",
    description: 'As runtime-push. Both name the same repositories where one hosting does both.',
    ...push,
  },
});

// What changes for an account, as it changes: kinds and ids, so that a client reads again what it shows of
// them.
import { z } from 'zod';
import { eventStream, svcGroup } from '../kit.ts';
import { ACCOUNT_EVENT_KINDS } from '../states.ts';

/** Of one account, at one process of the API. */
export const MAX_ACCOUNT_STREAMS = 20;
/** Then the stream ends, and the reader comes back with what it is allowed then. */
export const ACCOUNT_STREAM_SECONDS = 900;

const AccountEventOut = z
  .strictObject({
    kind: z.enum(ACCOUNT_EVENT_KINDS).meta({ description: 'Kind of the changed object. reset: anything may have changed, read everything again.' }),
    id: z.string().nullable().meta({ description: 'Which: the id of a job, a wait or a deployment, the name of an agent. Null with reset.' }),
  })
  .meta({ id: 'AccountEventOut' });

export const accountEvents = svcGroup({
  stream: {
    at: 'GET /v1/me/events',
    summary: 'Stream changes of the account',
    description: `Server-sent events. With Last-Event-ID one gets what came since; where that is not known any more, or none is given, the first event is a reset. Ends after ${ACCOUNT_STREAM_SECONDS / 60} minutes: connect again.`,
    scope: 'account',
    out: eventStream(AccountEventOut),
    errors: [401, 403, 409],
  },
});

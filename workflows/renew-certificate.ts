// The certificate of a custom domain, for as long as there is the domain: asked for, renewed, at last
// revoked. The rows say what the next step is.
import { condition, continueAsNew, setHandler } from '@temporalio/workflow';
import type { DomainActivities } from '#activities/domains.ts';
import { domainChanged, type RenewCertificateIn } from './messages.ts';
import { isLong } from './pace.ts';
import { activities } from './queues.ts';

/** It asks the authority several times, each with a limit of its own. */
const rows = activities<DomainActivities>({ startToCloseTimeout: '5m', heartbeatTimeout: '15s', retry: { initialInterval: '5s', maximumInterval: '1m' } });

export async function renewCertificate(i: RenewCertificateIn): Promise<void> {
  let woken = false;
  setHandler(domainChanged, () => void (woken = true));
  for (;;) {
    woken = false;
    const wait = await rows.certificateStep(i.domain_id);
    if (wait === null) return;
    await condition(() => woken, wait);
    // What continues begins with a look.
    if (isLong()) await continueAsNew<typeof renewCertificate>(i);
  }
}

// A process that reads wallets, settles one run and ends. `node settle-process.ts RUN [STEP]`, with
// DATABASE_URL, VAULT_KEY and PROCESSOR in the environment. A step is a statement that is about to be sent,
// or one that was answered: at the one of that number the process ends as kill -9 ends it.
import { z } from 'zod';
import { createPool } from '#db/pool.ts';
import type { TransferRequest } from '#drivers/payments/payouts-port.ts';
import { PaymentsFailed } from '#drivers/payments/port.ts';
import { createVault } from '#drivers/vault/key-file.ts';
import { testProcessor } from '#test/support/processor.ts';
import { testCtx } from '#test/support/verbs.ts';
import { accrue } from '../accrue/accrue.ts';
import { moveLines } from '../advance.ts';
import { endPayoutRun, payNext } from '../run/next.ts';
import { takeDue } from '../run/take.ts';

const env = z.object({ DATABASE_URL: z.string(), VAULT_KEY: z.string(), PROCESSOR: z.string() }).parse(process.env);
const [run = '', last] = process.argv.slice(2);
const db = createPool({ connectionString: env.DATABASE_URL, max: 4 });
let steps = 0;
for (const event of ['query', 'query-response']) db.on(event, () => void ((steps += 1) === Number(last) && process.kill(process.pid, 'SIGKILL')));
const payments = testProcessor().payments;
payments.transfer = async (request: TransferRequest) => {
  const response = await fetch(env.PROCESSOR, { method: 'POST', body: JSON.stringify(request) });
  if (!response.ok) throw new PaymentsFailed('it was not reached', { retry: true, code: 'unreachable' });
  return Transfer.parse(await response.json());
};
const Transfer = z.object({
  id: z.string(),
  destination: z.string(),
  cents: z.number(),
  reversedCents: z.number(),
  group: z.string().nullable(),
  reference: z.string().nullable(),
  createdAt: z.number(),
});
const ctx = testCtx(db, { actor: { kind: 'platform', service: 'payouts' }, vault: createVault([Buffer.from(env.VAULT_KEY, 'hex')]), payments });

await accrue(ctx);
await moveLines(ctx);
while (await takeDue(ctx, run));
while (await payNext(ctx, run));
await endPayoutRun(ctx, run);
await db.destroy();

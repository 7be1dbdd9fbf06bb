// An outage of the database costs an activity time, not attempts: those are for faults of its own work.
import { sleep } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Knex } from 'knex';
import { beat } from '#activities/attempts.ts';
import { isOutage } from '#core/kernel/outage.ts';

const LOOK_EVERY_MS = 500;
/** Of what an attempt may take. Then it fails, and its own retries continue. */
const PATIENCE_MS = 60_000;

/**
 * Executes an activity again within the same attempt, once the database answers again. Activities may be
 * executed twice, so this is no new demand on them. An error that looks like an outage while the database
 * answers is of another part (a mail server, a machine): it fails the attempt.
 * @param answers whether the database answers now
 */
export function retryWhileDatabaseDown(answers: () => Promise<boolean>): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const until = performance.now() + Math.min(PATIENCE_MS, info.startToCloseTimeoutMs);
        for (;;) {
          try {
            return await next(input);
          } catch (error) {
            if (!isOutage(error) || (await answers())) throw error;
            do {
              if (performance.now() >= until) throw error;
              beat();
              await sleep(LOOK_EVERY_MS);
            } while (!(await answers()));
          }
        }
      },
    },
  });
}

export function databaseAnswers(db: Knex): Promise<boolean> {
  return db.raw('select 1').then(
    () => true,
    () => false,
  );
}

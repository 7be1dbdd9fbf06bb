// What a run does with its waits: opens one for a question, reads its outcome, withdraws it.
import type { z } from 'zod';
import type { WaitOut } from '#contract/run/run-context.ts';
import type { AskRecipient } from '#contract/wire/context-methods.ts';
import type { WaitsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Invalid, NotFound } from '../../kernel/errors.ts';
import { system, together } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import { checkFormSchema } from './form.ts';
import { lockWait } from './hold.ts';
import { workflowOf } from './model.ts';
import { openWait } from './open.ts';
import { presentWait } from './present.ts';
import { resolveLockedWait } from './record-outcome.ts';

type Wait = z.infer<typeof WaitOut>;

export interface AskIn {
  question_id: string;
  prompt: string;
  timeout_seconds: number;
  schema?: Record<string, unknown> | undefined;
  of?: AskRecipient | undefined;
}

/** @throws Invalid when the form's schema cannot be understood */
export async function askPerson(ctx: Ctx, i: AskIn): Promise<Wait> {
  if (i.schema) await checkFormSchema(requireRun(ctx).owner_id, i.schema);
  const kind = i.question_id.startsWith('inr_') ? 'input_request' : 'question';
  if (kind === 'input_request' && !i.schema)
    throw new Invalid([{ path: ['body', 'schema'], message: 'a form (inr_…) comes with the JSON Schema of its values' }]);
  const row = await together(ctx, (ctx) =>
    openWait(ctx, {
      waitId: i.question_id,
      kind,
      prompt: i.prompt,
      request: i.schema ? { schema: i.schema } : {},
      timeoutSeconds: i.timeout_seconds,
      of: i.of,
    }),
  );
  return presentWait(ctx, row);
}

export async function getWait(ctx: Ctx, i: { wait_id: string }): Promise<Wait> {
  return presentWait(ctx, await ownWait(ctx, i.wait_id));
}

/** Ends it, unless it was answered meanwhile; asking again changes nothing. */
export async function cancelWait(ctx: Ctx, i: { wait_id: string }): Promise<Wait> {
  const row = await ownWait(ctx, i.wait_id);
  if (row.state === 'pending') {
    await system(ctx, async (ctx) => {
      const current = await lockWait(ctx.db, row.wait_id);
      if (current?.row.state !== 'pending') return;
      await audit(ctx, 'wait.withdraw', { wait: row.wait_id }, { run_id: row.run_id });
      await resolveLockedWait(ctx, current, { decision: 'cancelled' }, {});
      await signalWorkflow(ctx, workflowOf(row.wait_id), 'withdraw');
    });
  }
  return presentWait(ctx, await ownWait(ctx, i.wait_id));
}

async function ownWait(ctx: Ctx, waitId: string): Promise<WaitsRow> {
  const row = await ctx
    .db('waits')
    .where({ wait_id: waitId, run_id: requireRun(ctx).run_id })
    .first();
  if (!row) throw new NotFound('wait_not_found', 'This run has asked nothing under that id');
  return row;
}

// Whom a question is put to, as a reader of it sees that: who may answer it reads it, others that it waits
// and for whom.
import type { Knex } from 'knex';
import type { RecipientOut } from '#contract/runs/runs.ts';
import type { WaitsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { type Action, may, type Recipient } from '../../kernel/policy.ts';

type RecipientRow = Recipient & Pick<WaitsRow, 'asked_of'>;

/** In place of the question, for who may not answer it. */
export function asksOthers({ asked_kind, asked_role }: Pick<Recipient, 'asked_kind' | 'asked_role'>): string {
  if (asked_kind === 'people') return 'People whom the agent names are asked.';
  if (asked_kind === 'role') return `Members of the agent's organization with the role ${asked_role} are asked.`;
  return 'The owner of the agent is asked.';
}

/** What answering it takes. */
export function answering({ asked_kind }: Pick<Recipient, 'asked_kind'>): Action {
  return asked_kind === 'people' || asked_kind === 'role' ? 'wait.answer' : 'wait.resolve';
}

export function mayAnswer({ actor }: Pick<Ctx, 'actor'>, row: RecipientRow): boolean {
  return may(actor, answering(row), { owner: row.asked_of, recipient: row });
}

/** By wait; nothing for those that are put to the account of their run. */
export async function recipientsShown(ctx: Pick<Ctx, 'actor' | 'db'>, rows: readonly WaitsRow[]): Promise<Map<string, RecipientOut>> {
  const others = rows.filter(({ asked_kind }) => asked_kind !== 'caller');
  const { actor } = ctx;
  const shown = others.map((row) => ({ row, you: mayAnswer(ctx, row) }));
  const insider = ({ row, you }: (typeof shown)[number]): boolean => you || (actor.kind === 'user' && actor.user_id === row.asked_of);
  const emails = await emailsOf(
    ctx.db,
    shown.filter(insider).flatMap(({ row }) => namedBy(row)),
  );
  return new Map(
    shown.flatMap(({ row, you }) => {
      const { asked_kind: of, asked_role: role } = row;
      const people = insider({ row, you }) ? namedBy(row).flatMap((id) => emails.get(id) ?? []) : [];
      return of === 'caller' ? [] : [[row.wait_id, { of, role, people, you }] as const];
    }),
  );
}

function namedBy({ asked_people, asked_guests }: Recipient): string[] {
  return [...asked_people, ...asked_guests];
}

async function emailsOf(db: Knex, ids: readonly string[]): Promise<Map<string, string>> {
  const rows =
    ids.length === 0
      ? []
      : await db('users')
          .whereIn('user_id', [...ids])
          .select('user_id', 'email');
  return new Map(rows.map(({ user_id, email }) => [user_id, email]));
}

// What a call on an account's behalf would find: the value of the person or organization, or the default. A
// value that no longer fits its field counts as none.
import type { Knex } from 'knex';
import type { AccountKind } from '#contract/states.ts';
import { type SetupField, setupProblem } from '#contract/wire/card.ts';
import type { ConsumerSetupValuesRow } from '#db/tables.ts';
import type { Vault } from '#drivers/vault/port.ts';
import { setupContext, type SetupValue } from './fields.ts';

export interface ResolvedField {
  field: SetupField;
  source: 'user' | 'org' | 'default' | 'missing';
  /** Absent: missing, or a secret that was not opened. */
  value?: SetupValue;
  updatedAt: Date | null;
}

type ValueRow = ConsumerSetupValuesRow & { account_kind: AccountKind };

export interface SetupOf {
  agentId: string;
  fields: readonly SetupField[];
  /** Null: the run works for no user. */
  userId: string | null;
}

/** With a vault secrets are opened; for showing they are not. */
export async function resolveFields(db: Knex, of: SetupOf, vault?: Vault): Promise<ResolvedField[]> {
  if (of.fields.length === 0) return [];
  const rows =
    of.userId === null
      ? []
      : await db('consumer_setup_values as v')
          .join('users as u', 'u.user_id', 'v.user_id')
          .where({ 'v.agent_id': of.agentId, 'v.user_id': of.userId })
          .select<ValueRow[]>('v.*', 'u.kind as account_kind');
  const byName = new Map(rows.map((row) => [row.field_name, row]));
  return Promise.all(of.fields.map((field) => resolved(field, byName.get(field.name), vault)));
}

export function missingOf(fields: readonly ResolvedField[]): ResolvedField[] {
  return fields.filter(({ field, source }) => field.required && source === 'missing');
}

async function resolved(field: SetupField, row: ValueRow | undefined, vault: Vault | undefined): Promise<ResolvedField> {
  const source = row?.account_kind === 'organization' ? 'org' : 'user';
  // Sealed is what was given as a secret: were the field a plain one now, its value would be shown.
  if (row && (row.value_sealed !== null) === (field.kind === 'secret')) {
    if (row.value_sealed === null) {
      const { value } = row;
      if (isValue(value) && setupProblem(field.type, value) === undefined) return { field, source, value, updatedAt: row.updated_at };
    } else {
      if (!vault) return { field, source, updatedAt: row.updated_at };
      const value: unknown = JSON.parse(Buffer.from(await vault.open(row.value_sealed, setupContext(row))).toString());
      if (isValue(value) && setupProblem(field.type, value) === undefined) return { field, source, value, updatedAt: row.updated_at };
    }
  }
  if (field.default !== undefined) return { field, source: 'default', value: field.default, updatedAt: null };
  return { field, source: 'missing', updatedAt: null };
}

function isValue(value: unknown): value is SetupValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

// What the rows of a database tell of themselves: the ledger, encrypted values, waits.
import type { Knex } from 'knex';
import { auditLedger } from '#core/money/ledger/audit-ledger.ts';
import { openAll } from '#core/platform/vault/open-all.ts';
import type { Vault } from '#drivers/vault/port.ts';
import { type CheckResult, Findings } from './check.ts';

export async function checkLedger(db: Knex): Promise<CheckResult> {
  const findings = new Findings();
  const [counted] = await db('ledger_entries').count<{ count: number }[]>('* as count');
  findings.checked = Number(counted?.count ?? 0);
  for (const { rule, id } of await auditLedger({ db })) findings.add(`The ledger does not add up: ${rule} ${id}`);
  return findings;
}

export async function checkSecrets(db: Knex, vault: Vault): Promise<CheckResult> {
  const findings = new Findings();
  for await (const { place, count, unreadable } of openAll(db, vault)) {
    findings.checked += count;
    if (unreadable > 0) findings.add(`${unreadable} of ${count} values of ${place} open with no key of platform.key`);
  }
  return findings;
}

export interface Waits extends CheckResult {
  /** In machines without their memory: their runs end with host_lost. */
  withoutMemory: number;
}

/** @param machines instances whose memory is there; absent: whatever serves */
export async function checkWaits(db: Knex, machines?: readonly string[]): Promise<Waits> {
  const findings = new Findings();
  const { rows } = await db.raw<{ rows: { wait_id: string; run_id: string | null; exists: boolean; held: boolean }[] }>(
    `select w.wait_id, w.run_id, r.run_id is not null as exists,
       exists (select 1 from instances i where i.deploy_id = r.deploy_id and i.state in ('serving', 'draining') and (:any or i.instance_id = any(:machines))) as held
     from waits w left join runs r using (run_id) where w.state = 'pending'`,
    { any: machines === undefined, machines: [...(machines ?? [])] },
  );
  for (const { wait_id, run_id, exists } of rows) if (run_id !== null && !exists) findings.add(`Wait ${wait_id} is of run ${run_id}, which does not exist`);
  findings.checked = rows.length;
  return Object.assign(findings, { withoutMemory: rows.filter(({ exists, held }) => exists && !held).length });
}

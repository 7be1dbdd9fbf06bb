// Decisions of an organization, newest first.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { DecisionRecordDetail, DecisionRecordOut, RecordsQuery } from '#contract/orgs/compliance.ts';
import { DECISION_KINDS, type DecisionKind } from '#contract/states.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { NotFound } from '../../../kernel/errors.ts';
import { microseconds } from '../../../kernel/keyset.ts';
import { decodeCursor, type Page, toPage } from '../../../kernel/page.ts';
import { organizationFor } from '../../organization/find.ts';
import { hydrate, type KnownRecord } from './hydrate.ts';
import { keysSql, type RecordFilter, type SourceName, SOURCE_NAMES, RECORD_SOURCES, sourcesOf } from './sources.ts';
import { verifier } from './verify.ts';

export interface RecordKey {
  source: SourceName;
  record_id: string;
  cursor_at: number;
}

export async function listRecords(ctx: Ctx, i: z.output<typeof RecordsQuery> & { slug: string }): Promise<Page<DecisionRecordOut>> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'compliance.read', i.slug);
  const [at, id] = i.cursor === undefined ? [] : decodeCursor(i.cursor, ['number', 'string']);
  const { agent, outcome, from, to } = i;
  const kinds = i.kind === undefined ? DECISION_KINDS : [i.kind];
  const filter = { kinds, organizationId: organization_id, agent, outcome, from, to, limit: i.limit + 1 };
  const keys = await recordKeys(ctx.db, at === undefined || id === undefined ? filter : { ...filter, after: { at, id } });
  const records = await hydrate(ctx.db, keys);
  return toPage(
    records,
    i.limit,
    ({ record }) => record,
    ({ cursor_at, record }) => [cursor_at, record.record_id],
  );
}

/** Newest first. */
export async function recordKeys(db: Knex, filter: RecordFilter): Promise<RecordKey[]> {
  const names = sourcesOf(filter);
  if (names.length === 0) return [];
  const { sql, bindings } = keysSql(names, filter);
  const { rows } = await db.raw<{ rows: RecordKey[] }>(
    `select source, record_id, ${microseconds('recorded_at')} as cursor_at from (${sql}) keys order by recorded_at desc, record_id desc limit :limit`,
    bindings,
  );
  return rows;
}

/** @throws NotFound decision_record_not_found */
export async function getRecord(ctx: Ctx, i: { slug: string; kind: DecisionKind; record_id: string }): Promise<DecisionRecordDetail> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'compliance.read', i.slug);
  const source = SOURCE_NAMES.find((name) => RECORD_SOURCES[name].kind === i.kind && i.record_id.startsWith(`${RECORD_SOURCES[name].prefix}_`));
  const [found] = source === undefined ? [] : await hydrate(ctx.db, [{ source, record_id: i.record_id, cursor_at: 0 }], organization_id);
  if (!found) throw new NotFound('decision_record_not_found', `The organization has no ${i.kind} ${i.record_id}: list its decision records`);
  return detailOf(found, verifier(ctx.db, organization_id));
}

/** With the signature as it stands now. */
export async function detailOf({ record, token, facts }: KnownRecord, verify: ReturnType<typeof verifier>): Promise<DecisionRecordDetail> {
  if (token === null) return { ...record, token, signature_status: 'not_applicable', signature_problem: null };
  const problem = await verify(token, facts);
  return { ...record, token, signature_status: problem === undefined ? 'valid' : 'invalid', signature_problem: problem ?? null };
}

// The file of an export, line by line, with what its manifest says of it.
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ExportCounts, type ExportLine, type ExportManifest, EXPORT_TYPE } from '#contract/wire/compliance-export.ts';
import { DECISION_KINDS } from '#contract/states.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { presenter, selectProfiles } from '../profile/list.ts';
import { hydrate } from '../records/hydrate.ts';
import { detailOf, recordKeys } from '../records/read.ts';
import { verifier } from '../records/verify.ts';
import { assess } from '../status/status.ts';
import type { ExportRow } from './read.ts';

/** Records that are read and verified between two looks at whether to go on. */
const PAGE = 100;
/** Records that are read together, unless one of the last was large: each may have a megabyte. */
const AT_ONCE = 10;
const LARGE = 65_536;

type Unsigned = Omit<ExportManifest, 'kid' | 'ended_at'>;

/** Lines as they are made; the manifest is there once all have been taken. */
export function composeExport(ctx: Ctx, row: ExportRow, slug: string, signal?: AbortSignal): { lines: AsyncGenerator<string>; manifest: () => Unsigned } {
  const counts: ExportCounts = { lines: 0, controls: 0, agents: 0, records: 0, skill_execution: 0, authorization: 0, admin_action: 0, valid: 0, invalid: 0, not_applicable: 0 }; // prettier-ignore
  const about = {
    type: EXPORT_TYPE,
    export_id: row.export_id,
    organization: { organization_id: row.organization_id, slug },
    from: row.from_at.toISOString(),
    to: row.to_at.toISOString(),
    kinds: DECISION_KINDS.filter((kind) => row.kinds.includes(kind)),
    max_records: row.max_records,
  } as const;
  let chain = '';
  let complete = true;
  async function* lines(): AsyncGenerator<string> {
    for await (const line of documents()) {
      // What writes the lines may take all of them at once.
      await nextTurn();
      const text = JSON.stringify(line);
      if (text.length > LARGE) await nextTurn();
      chain = createHash('sha256').update(chain === '' ? '' : `${chain}\n`).update(text).digest('hex'); // prettier-ignore
      counts.lines += 1;
      if (line.line === 'control') counts.controls += 1;
      if (line.line === 'agent') counts.agents += 1;
      if (line.line === 'record') {
        counts.records += 1;
        counts[line.kind] += 1;
        counts[line.signature_status] += 1;
      }
      yield text;
    }
  }
  async function* documents(): AsyncGenerator<ExportLine> {
    const { policy, frameworks, evidence } = await assess(ctx, { organization_id: row.organization_id, slug });
    const { retention_days, legal_hold } = policy;
    yield { line: 'header', ...about, kinds: [...about.kinds], frameworks: policy.frameworks, retention_days, legal_hold };
    for (const { framework, controls } of frameworks) {
      for (const control of controls) {
        const proves = evidence.filter(({ name }) => control.evidence.includes(name)).map(({ name, title, state, reason }) => ({ name, title, state, reason }));
        yield { line: 'control', framework, ...control, evidence: proves };
      }
    }
    const profiles = await selectProfiles(ctx.db, row.organization_id).whereNull('a.deleted_at').orderBy('a.name');
    const present = await presenter(ctx.db, row.organization_id, profiles);
    for (const profile of profiles) {
      const { agent, risk_tier, intended_purpose, human_oversight, gaps, version } = present(profile);
      yield { line: 'agent', agent, risk_tier, intended_purpose, human_oversight, gaps, version };
    }
    yield* records();
  }
  async function* records(): AsyncGenerator<ExportLine> {
    const verify = verifier(ctx.db, row.organization_id);
    const filter = { kinds: about.kinds, organizationId: row.organization_id, from: about.from, to: about.to };
    let after: { at: number; id: string } | undefined;
    let size = 1;
    for (let left = row.max_records; ;) {
      signal?.throwIfAborted();
      // One more than is taken says whether there are more.
      const keys = await recordKeys(ctx.db, { ...filter, limit: Math.min(PAGE, left) + 1, ...(after && { after }) });
      const taken = keys.slice(0, Math.min(PAGE, left));
      for (let at = 0; at < taken.length;) {
        const records = await hydrate(ctx.db, taken.slice(at, at + size));
        at += size;
        size = records.some(({ token }) => (token?.length ?? 0) > LARGE) ? 1 : AT_ONCE;
        for (const known of records) yield { line: 'record', ...(await detailOf(known, verify)) };
      }
      left -= taken.length;
      const last = taken.at(-1);
      if (!last || keys.length === taken.length) return;
      if (left === 0) return void (complete = false);
      after = { at: last.cursor_at, id: last.record_id };
    }
  }
  return { lines: lines(), manifest: () => ({ ...about, kinds: [...about.kinds], complete, counts, chain_sha256: chain }) };
}

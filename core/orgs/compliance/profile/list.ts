// Agents of an organization with what it says of their risk.
import type { Knex } from 'knex';
import type { AgentProfileOut } from '#contract/orgs/compliance.ts';
import type { AgentsRow, ComplianceProfilesRow, ComplianceProfileLogRow } from '#db/tables.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../../kernel/page.ts';
import { organizationFor } from '../../organization/find.ts';
import { asksPeople } from './approvals.ts';
import { gapsOf } from './gaps.ts';

const HISTORY = 50;

type ProfileRow = Pick<AgentsRow, 'agent_id' | 'name' | 'visibility' | 'live_deploy_id' | 'deleted_at'> & {
  [K in 'risk_tier' | 'intended_purpose' | 'human_oversight' | 'notes' | 'version' | 'updated_by' | 'updated_at']: ComplianceProfilesRow[K] | null;
};

export async function listProfiles(ctx: Ctx, i: { slug: string; limit: number; cursor?: string | undefined }): Promise<Page<AgentProfileOut>> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'compliance.read', i.slug);
  const query = selectProfiles(ctx.db, organization_id)
    .whereNull('a.deleted_at')
    .orderBy('a.name')
    .limit(i.limit + 1);
  if (i.cursor !== undefined) void query.where('a.name', '>', decodeCursor(i.cursor, ['string'])[0]);
  const rows = await query;
  const present = await presenter(ctx.db, organization_id, rows);
  return toPage(rows, i.limit, present, ({ name }) => [name]);
}

export function selectProfiles(db: Knex, organizationId: string) {
  return db('agents as a')
    .leftJoin('compliance_profiles as p', 'p.agent_id', 'a.agent_id')
    .where('a.owner_id', organizationId)
    .select<ProfileRow[]>(
      'a.agent_id',
      'a.name',
      'a.visibility',
      'a.live_deploy_id',
      'a.deleted_at',
      'p.risk_tier',
      'p.intended_purpose',
      'p.human_oversight',
      'p.notes',
      'p.version',
      'p.updated_by',
      'p.updated_at',
    );
}

/** Presents these rows; what it takes is read once. */
export async function presenter(db: Knex, organizationId: string, rows: readonly ProfileRow[]): Promise<(row: ProfileRow) => AgentProfileOut> {
  const asks = await asksPeople(db, organizationId);
  const history = await db('compliance_profile_log')
    .whereIn(
      'agent_id',
      rows.map(({ agent_id }) => agent_id),
    )
    .orderBy('version', 'desc');
  const ofAgent = Map.groupBy(history, ({ agent_id }) => agent_id);
  return (row) => {
    const live = row.live_deploy_id !== null && row.deleted_at === null;
    const words = {
      risk_tier: row.risk_tier ?? ('unclassified' as const),
      intended_purpose: row.intended_purpose ?? '',
      human_oversight: row.human_oversight ?? '',
      notes: row.notes ?? '',
    };
    return {
      agent: row.name,
      visibility: row.visibility,
      live,
      deleted: row.deleted_at !== null,
      ...words,
      version: row.version ?? 0,
      updated_by: row.updated_by,
      updated_at: row.updated_at?.toISOString() ?? null,
      gaps: row.deleted_at === null ? gapsOf({ ...words, in_use: live }, asks) : [],
      history: (ofAgent.get(row.agent_id) ?? []).slice(0, HISTORY).map(presentVersion),
    };
  };
}

function presentVersion({ risk_tier, intended_purpose, human_oversight, notes, version, changed_by, changed_at }: ComplianceProfileLogRow) {
  return { risk_tier, intended_purpose, human_oversight, notes, version, changed_by, changed_at: changed_at.toISOString() };
}

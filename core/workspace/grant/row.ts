// The words that the table's check constraints know, as types.
import { WorkspaceMode } from '#contract/wire/card.ts';
import { GrantRowOut } from '#contract/workspace/grants.ts';
import type { GrantsRow } from '#db/tables.ts';

export function grantMode(row: Pick<GrantsRow, 'mode'>): WorkspaceMode {
  return WorkspaceMode.parse(row.mode);
}

export function grantKind(row: Pick<GrantsRow, 'kind'>): GrantRowOut['kind'] {
  return GrantRowOut.shape.kind.parse(row.kind);
}

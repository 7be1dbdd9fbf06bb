// The machine of a box, asked for by its row.
import type { BoxRuntime, BoxStatus } from '#drivers/box/port.ts';
import type { DevBoxesRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { sourceRepository } from '../../agents/agent/repository.ts';

export function hostKeyContext(boxId: string): string {
  return `dev-box/${boxId}/host-key`;
}

type Box = Pick<DevBoxesRow, 'box_id' | 'owner_id' | 'host_key_sealed'>;

/** `wait`: until it is there. What it is now goes into the row. */
export async function openMachine(ctx: Ctx, boxes: BoxRuntime, row: Box, wait: boolean): Promise<BoxStatus> {
  const key = await ctx.drivers.vault.open(row.host_key_sealed, hostKeyContext(row.box_id));
  const status = await boxes.open({ box_id: row.box_id, host_key: Buffer.from(key).toString(), wait });
  if (wait) await ctx.db('dev_boxes').where({ box_id: row.box_id }).update({ state: status.state });
  return status;
}

/** Ready for a connection: started, and with the repository where it never had one. */
export async function readyMachine(ctx: Ctx, boxes: BoxRuntime, row: Box & { agent_name: string }): Promise<void> {
  const { seeded } = await openMachine(ctx, boxes, row, true);
  if (seeded) return;
  const bundle = await ctx.drivers.scm.bundle(sourceRepository(row.owner_id, row.agent_name));
  await boxes.seed(row.box_id, row.agent_name, bundle);
}

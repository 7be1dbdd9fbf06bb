// One call, one receipt, whatever became of the call.
import type { Ctx } from '../../ctx.ts';
import { type SealedReceipt, sealReceipt } from '../../evidence/receipt/seal.ts';
import { inTx } from '../../tx.ts';
import type { Call, Ending } from './call.ts';

export async function sealCall(ctx: Ctx, { caller, route, skill, inputSha256, startedAt }: Call, ending: Ending): Promise<SealedReceipt> {
  return inTx(ctx, (tx) =>
    sealReceipt(tx, ctx, {
      agent: { id: route.agentId, name: route.agentName, version: route.version, image: route.image },
      deployId: route.deployId,
      caller,
      skill,
      inputSha256,
      outputSha256: ending.status === 'ok' ? ending.outputSha256 : null,
      status: ending.status,
      errorCode: ending.status === 'ok' ? null : ending.errorCode,
      startedAt,
      endedAt: ctx.clock(),
      runtime: route.runtime,
    }),
  );
}

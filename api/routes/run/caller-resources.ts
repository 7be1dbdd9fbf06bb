import type { callerResources } from '#contract/run/caller-resources.ts';
import { listCallersArtifacts, readCallersArtifact } from '#core/runs/artifact/callers.ts';
import { listCallersFiles, readCallersFile } from '#core/workspace/patch/callers.ts';
import type { Handlers } from '../../http/handlers.ts';

export const callerResourceRoutes: Handlers<typeof callerResources> = {
  listArtifacts: (ctx, { query }) => listCallersArtifacts(ctx, query),
  readArtifact: (ctx, { params, query }) => readCallersArtifact(ctx, { ...params, ...query }),
  listFiles: (ctx, { query, headers }) => listCallersFiles(ctx, { ...query, token: headers['svc-grant'] }),
  readFile: (ctx, { params, headers }) => readCallersFile(ctx, { ...params, token: headers['svc-grant'] }),
};

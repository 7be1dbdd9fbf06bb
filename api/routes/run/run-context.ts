import type { runContext } from '#contract/run/run-context.ts';
import { writeArtifact } from '#core/runs/artifact/write.ts';
import { findAgents, discoverAgent } from '#core/runs/discover/find.ts';
import { createSandbox } from '#core/runs/sandbox/create.ts';
import {
  endSandbox, execInSandbox, getSandbox, listSandboxes, removeSandbox, runOnce, sandboxLogs, shellInSandbox,
} from '#core/runs/sandbox/use.ts'; // prettier-ignore
import { openView, requestAccess, requestScope } from '#core/pauses/scope/request.ts';
import { grantsOfRun, searchWorkspace } from '#core/pauses/scope/workspace.ts';
import { askPerson, cancelWait, getWait } from '#core/pauses/wait/ask.ts';
import { callWaits } from '#core/runs/call/waits.ts';
import { listPatches } from '#core/workspace/patch/list.ts';
import type { Handlers } from '../../http/handlers.ts';

export const runContextRoutes: Handlers<typeof runContext> = {
  writeArtifact: (ctx, { params, query, body }) => writeArtifact(ctx, { ...params, ...query, body }),
  ask: (ctx, { body }) => askPerson(ctx, body),
  requestScope: (ctx, { body }) => requestScope(ctx, body),
  getWait: (ctx, { params }) => getWait(ctx, params),
  cancelWait: (ctx, { params }) => cancelWait(ctx, params),
  callWaits: (ctx, { params }) => callWaits(ctx, params),
  searchFiles: (ctx, { body }) => searchWorkspace(ctx, body),
  openView: (ctx, { body }) => openView(ctx, body),
  requestAccess: (ctx, { body }) => requestAccess(ctx, body),
  listGrants: (ctx) => grantsOfRun(ctx),
  listPatches: (ctx, { body }) => listPatches(ctx, body),
  findAgents: (ctx, { query }) => findAgents(ctx, query),
  getAgent: (ctx, { params }) => discoverAgent(ctx, params),
  createSandbox: (ctx, { body }) => createSandbox(ctx, body),
  listSandboxes: (ctx) => listSandboxes(ctx),
  getSandbox: (ctx, { params }) => getSandbox(ctx, params),
  removeSandbox: (ctx, { params }) => removeSandbox(ctx, params),
  execInSandbox: (ctx, { params, body }, { gone }) => execInSandbox(ctx, { ...params, ...body, signal: gone }),
  shellInSandbox: (ctx, { params, body }, { gone }) => shellInSandbox(ctx, { ...params, ...body, signal: gone }),
  sandboxLogs: (ctx, { params, query }) => sandboxLogs(ctx, { ...params, ...query }),
  stopSandbox: (ctx, { params }) => endSandbox(ctx, { ...params, how: 'stop' }),
  killSandbox: (ctx, { params }) => endSandbox(ctx, { ...params, how: 'kill' }),
  runOnce: (ctx, { body }, { gone }) => runOnce(ctx, { ...body, signal: gone }),
};

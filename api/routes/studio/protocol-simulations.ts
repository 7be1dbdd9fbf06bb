import type { protocolRegistry } from '#contract/studio/protocol-registry.ts';
import type { protocolSimulations } from '#contract/studio/protocol-simulations.ts';
import { getRehearsal, listScenarios, listRehearsals, listSuiteTemplates, listScenarioTemplates } from '#core/studio/protocol-simulation/list.ts';
import { addNote, addScenario } from '#core/studio/protocol-simulation/note.ts';
import { readReadiness } from '#core/studio/protocol-simulation/readiness.ts';
import { createSuite } from '#core/studio/protocol-simulation/registry/add.ts';
import { listEntries, readEntry } from '#core/studio/protocol-simulation/registry/list.ts';
import { moveEntry } from '#core/studio/protocol-simulation/registry/move.ts';
import { startCustomRun, startRehearsal } from '#core/studio/protocol-simulation/start.ts';
import { stopSimulation } from '#core/studio/protocol-simulation/stop.ts';
import type { Handlers } from '../../http/handlers.ts';

export const protocolSimulationRoutes: Handlers<typeof protocolSimulations> = {
  list: (ctx, { params, query }) => listRehearsals(ctx, { ...params, ...query }),
  start: (ctx, { params, body }) => startRehearsal(ctx, { ...params, ...body }),
  customRun: (ctx, { params, body }) => startCustomRun(ctx, { ...params, ...body }),
  suiteTemplates: (ctx, { params }) => listSuiteTemplates(ctx, params),
  createSuite: (ctx, { params, body }) => createSuite(ctx, { ...params, ...body }),
  templates: (ctx, { params }) => listScenarioTemplates(ctx, params),
  registry: (ctx, { params, query }) => listEntries(ctx, { ...params, ...query }),
  readiness: (ctx, { params, body }) => readReadiness(ctx, { ...params, ...body }),
  scenarios: (ctx, { params }) => listScenarios(ctx, params),
  get: (ctx, { params }) => getRehearsal(ctx, params),
  note: (ctx, { params, body }) => addNote(ctx, { ...params, ...body }),
  addScenario: (ctx, { params, body }) => addScenario(ctx, { ...params, ...body }),
  stop: (ctx, { params, body }) => stopSimulation(ctx, { ...params, ...body }),
};

export const protocolRegistryRoutes: Handlers<typeof protocolRegistry> = {
  registryEntry: (ctx, { params }) => readEntry(ctx, params),
  moveRegistryEntry: (ctx, { params, body }) => moveEntry(ctx, { ...params, ...body }),
};

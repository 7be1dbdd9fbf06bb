// A protocol in an agent's registry: read whole, and moved.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { AgentParams, trimmedText } from '../shared.ts';
import { PROTOCOL_STATES } from '../states.ts';
import { ProtocolSuite } from './protocol-steps.ts';
import { ProtocolEntryOut, ProtocolId, Version } from './protocol-simulations.ts';

export const ProtocolMoveIn = z
  .strictObject({
    to: z.enum(PROTOCOL_STATES),
    note: trimmedText(1000).meta({ description: 'Why; it stays in the history.' }),
  })
  .meta({ id: 'ProtocolMoveIn', examples: [{ to: 'policy_reviewed', note: 'Read step by step' }] });

const EntryParams = AgentParams.extend({ protocol_id: ProtocolId, version: Version });

/** A whole entry of the registry, read and moved. */
export const protocolRegistry = svcGroup({
  registryEntry: {
    at: 'GET /v1/agents/{name}/protocol-simulations/protocol-registry/{protocol_id}/{version}',
    summary: 'A protocol of the registry with its scenarios, step by step',
    scope: 'account',
    params: EntryParams,
    out: z.strictObject({ entry: ProtocolEntryOut, suite: ProtocolSuite }).meta({ id: 'ProtocolEntryDetailOut' }),
    errors: [401, 403, 404],
  },
  moveRegistryEntry: {
    at: 'POST /v1/agents/{name}/protocol-simulations/protocol-registry/{protocol_id}/{version}/moves',
    summary: 'Move a protocol to another state',
    scope: 'account',
    params: EntryParams,
    body: ProtocolMoveIn,
    out: ProtocolEntryOut,
    errors: [401, 403, 404, 409],
  },
});

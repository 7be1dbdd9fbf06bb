// What is known of an agent, from records that are there: a graph, a timeline and a dossier. Read-only;
// nothing here is a second truth.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant, nextCursor, pageQuery } from '../shared.ts';
import {
  AGENT_KINDS,
  EVIDENCE_CONFIDENCES,
  EVIDENCE_EDGES,
  EVIDENCE_LANES,
  EVIDENCE_TYPES,
  FINDING_SEVERITIES,
  REUSE_POLICIES,
  REVIEW_STATES,
  TRUST_STATES,
  VISIBILITIES,
} from '../states.ts';

const MAX_NODES = 1_000;

const redaction = z.array(z.string()).meta({ description: 'What was left out, by name: "arguments", "caller", "findings".' });

export const EvidenceNodeOut = z
  .strictObject({
    id: z.string().meta({ description: 'Made of the type and the id of the record: "deployment:dep_…". The same record has the same id always.' }),
    type: z.enum(EVIDENCE_TYPES),
    lane: z.enum(EVIDENCE_LANES),
    label: z.string(),
    status: z.string().nullable(),
    summary: z.string(),
    time: Instant,
    sort_key: z.string().meta({ description: 'Time in microseconds and the id: what the order is by.' }),
    provenance: z.array(z.string()).meta({ description: 'The tables that it was read from.' }),
    refs: z.record(z.string(), z.string()).meta({ description: 'Ids to ask other routes for: deploy_id, receipt_id, run_id …' }),
    redaction,
    confidence: z.enum(EVIDENCE_CONFIDENCES),
  })
  .meta({ id: 'EvidenceNodeOut' });
export type EvidenceNodeOut = z.infer<typeof EvidenceNodeOut>;

export const EvidenceEdgeOut = z
  .strictObject({
    id: z.string(),
    type: z.enum(EVIDENCE_EDGES),
    from: z.string(),
    to: z.string(),
    join_rule: z.string().meta({ description: 'What joins the two: "receipts.deploy_id = deployments.deploy_id".' }),
    confidence: z.enum(EVIDENCE_CONFIDENCES),
  })
  .meta({ id: 'EvidenceEdgeOut' });
export type EvidenceEdgeOut = z.infer<typeof EvidenceEdgeOut>;

const EvidenceWatermark = z
  .strictObject({
    as_of: Instant,
    receipts_seq: z.int().min(0).nullable().meta({ description: "Where the agent's chain of receipts ended then; null for others than its owner." }),
    head_sha256: z.string().nullable(),
  })
  .meta({ id: 'EvidenceWatermark', description: 'All of the answer is of this moment.' });

export const EvidenceDagOut = z
  .strictObject({
    agent: z.string(),
    nodes: z.array(EvidenceNodeOut).meta({ description: 'Newest first; the agent, the live deployment and its version are always there.' }),
    edges: z.array(EvidenceEdgeOut).meta({ description: 'Between nodes of this answer. The graph has no cycles.' }),
    warnings: z.array(z.strictObject({ code: z.enum(['edge_closes_circle']), message: z.string(), edge: EvidenceEdgeOut })),
    truncated: z.boolean().meta({ description: 'There is older evidence than was asked for.' }),
    oldest: Instant.nullable().meta({ description: 'Where it is truncated: what is older is not here.' }),
    redaction,
    watermark: EvidenceWatermark,
  })
  .meta({ id: 'EvidenceDagOut' });
export type EvidenceDagOut = z.infer<typeof EvidenceDagOut>;

export const EvidenceTimelineOut = z
  .strictObject({ agent: z.string(), items: z.array(EvidenceNodeOut), next_cursor: nextCursor, redaction, watermark: EvidenceWatermark })
  .meta({ id: 'EvidenceTimelineOut' });
export type EvidenceTimelineOut = z.infer<typeof EvidenceTimelineOut>;

const Ref = z.string().nullable().meta({ description: 'Id of the node in the graph.' });
const Reason = z.strictObject({ code: z.string(), message: z.string(), at: Instant.nullable(), ref: Ref });
const count = z.int().min(0);
const milliseconds = z.number().min(0).nullable();

export const DossierOut = z
  .strictObject({
    agent: z.string(),
    claims: z
      .strictObject({
        kind: z.enum(AGENT_KINDS),
        description: z.string(),
        tags: z.array(z.string()),
        skills: z.array(z.strictObject({ id: z.string(), description: z.string(), read_only: z.boolean().nullable(), destructive: z.boolean().nullable() })),
        reuse_policy: z.enum(REUSE_POLICIES),
      })
      .meta({ description: 'What the agent states about itself, unchecked.' }),
    live: z
      .strictObject({
        deploy_id: z.string(),
        number: z.int(),
        version: z.string().nullable(),
        live_at: Instant.nullable(),
        image: z.string().nullable(),
        source_sha256: z.string().nullable(),
        source_commit: z.string().nullable(),
        card_sha256: z.string().nullable().meta({ description: 'Hash of the canonical JSON of the card.' }),
      })
      .nullable(),
    ownership: z.strictObject({
      owner: z.string().nullable().meta({ description: 'Id of the account; null for others than the owner.' }),
      yours: z.boolean(),
      since: Instant,
      visibility: z.enum(VISIBILITIES),
      deployments: count,
    }),
    trust: z.strictObject({ state: z.enum(TRUST_STATES), reason: z.string(), checked_at: Instant.nullable(), reasons: z.array(Reason) }),
    authority: z.strictObject({
      hosts: z.array(z.string()).meta({ description: 'Hosts that the live version may reach.' }),
      internal_services: z.array(z.string()),
      files: z.array(z.string()).meta({ description: 'How its skills may use files of its callers; empty: not at all.' }),
      needs_approval: z.boolean().meta({ description: 'A person approves each use of files.' }),
      secrets: count.nullable().meta({ description: 'How many it declares; null for others than the owner.' }),
      grants: z
        .strictObject({ active: count, revoked: count, of_newest: count })
        .nullable()
        .meta({ description: 'The newest grants addressed to it; only for the owner, else null.' }),
    }),
    quality: z.strictObject({
      calls: count.meta({ description: 'The newest, 1,000 at most; what follows is of these.' }),
      since: Instant.nullable().meta({ description: 'Time of the oldest of them.' }),
      failed: count,
      cancelled: count,
      p50_ms: milliseconds,
      p95_ms: milliseconds,
      review: z
        .strictObject({ review_id: z.string(), state: z.enum(REVIEW_STATES), critical: count, warning: count, info: count, at: Instant })
        .nullable()
        .meta({ description: 'Review of the live version.' }),
      proofs: z.strictObject({ passed: count, failed: count, last_at: Instant.nullable() }).meta({ description: 'Proofs of the live version.' }),
      trial: z
        .strictObject({ dataset: z.string(), items: count, passed: count, at: Instant })
        .nullable()
        .meta({ description: 'The newest of the live version; null for others than the owner.' }),
    }),
    risk: z.strictObject({ open: z.boolean(), items: z.array(Reason.extend({ severity: z.enum(FINDING_SEVERITIES) })) }),
    redaction,
    watermark: EvidenceWatermark,
  })
  .meta({ id: 'DossierOut' });
export type DossierOut = z.infer<typeof DossierOut>;

const common = { scope: 'authenticated', params: AgentParams, errors: [401, 403, 404] } as const;

export const agentEvidence = group({
  dossier: {
    ...common,
    at: 'GET /v1/agents/{name}/dossier',
    summary: 'Read what an agent claims, what was checked, what it may do and what is open: all of it as its owner, else the public part',
    out: DossierOut,
  },
  dag: {
    ...common,
    at: 'GET /v1/agents/{name}/evidence-dag',
    summary: 'The newest evidence of an agent as a graph without circles',
    query: z.object({ limit: z.int().min(1).max(MAX_NODES).default(250).meta({ description: 'Nodes.' }) }),
    out: EvidenceDagOut,
  },
  timeline: {
    ...common,
    at: 'GET /v1/agents/{name}/evidence-timeline',
    summary: 'The evidence of an agent by time, newest first, in lanes',
    query: pageQuery(100, 500).extend({ lane: z.enum(EVIDENCE_LANES).optional().meta({ description: 'Only this lane.' }) }),
    out: EvidenceTimelineOut,
    errors: [400, 401, 403, 404],
  },
});

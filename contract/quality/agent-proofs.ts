// Proofs: the platform performs a skill of an agent's live version on one case, checks the outcome and signs
// what it found.
import { z } from 'zod';
import { MAX_VALUE_BYTES } from '../wire/limits.ts';
import { group, svcGroup } from '../kit.ts';
import { EvaluationCheck } from './evaluations.ts';
import { AgentParams, Fault, Instant, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { PROOF_CASES, PROOF_RUNNERS, PROOF_STALE_REASONS, PROOF_STATES } from '../states.ts';
import { PathPattern } from '../wire/grant.ts';
import { AgentSlug, SkillName } from '../wire/names.ts';
import { ProofCheck } from '../wire/proof.ts';
import { ReceiptFile } from '../wire/receipt.ts';

export const ProofId = z.string().regex(/^prf_[0-9a-f-]{36}$/, 'is not a proof id');
const jsonObject = z.record(z.string(), z.unknown());
const MAX_PROPERTIES = 20;
/** Of all properties of a proof, as JSON: they stand in what is signed. */
const MAX_PROPERTIES_LENGTH = 16_384;
/** A longer result is not kept with its proof; its hash is signed all the same. */
export const MAX_PROOF_RESULT_LENGTH = 262_144;
export const PROOF_DEADLINE_SECONDS = { least: 5, usual: 120, most: 900 } as const;
const PROOF_BUDGET_MICROS = { usual: 1_000_000, most: 100_000_000 } as const;

/** What can be checked without a person and without a model. */
const [schema, matches, latency, cost] = EvaluationCheck.def.options;
export const ProofProperty = z.discriminatedUnion('kind', [schema, matches, latency, cost]).meta({ id: 'ProofProperty' });
export type ProofProperty = z.infer<typeof ProofProperty>;

export const ProofRunIn = z
  .strictObject({
    skill_name: SkillName,
    args: jsonObject
      .optional()
      .meta({ description: "Absent: the card's examples; where it has none for all that is required, made from the input schema and the seed." }),
    seed: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'Seed of generated arguments. The same schema and seed give the same arguments. Absent: chosen by chance.' }),
    properties: z
      .array(ProofProperty)
      .max(MAX_PROPERTIES)
      .refine((all) => JSON.stringify(all).length <= MAX_PROPERTIES_LENGTH, `are longer than ${MAX_PROPERTIES_LENGTH} characters as JSON`)
      .default([])
      .meta({ description: 'What must hold of the outcome, beside the output schema of the card.' }),
    files: z.array(PathPattern).max(16).default([]).meta({
      description: 'Those of your files that the skill may read: only where its agent works with files. It writes only into a folder of the proof.',
    }),
    deadline_seconds: z.int().min(PROOF_DEADLINE_SECONDS.least).max(PROOF_DEADLINE_SECONDS.most).default(PROOF_DEADLINE_SECONDS.usual),
    budget_micros: z
      .int()
      .min(0)
      .max(PROOF_BUDGET_MICROS.most)
      .default(PROOF_BUDGET_MICROS.usual)
      .meta({ description: 'Micro-dollars that models may cost. A proof that costs more is stopped and has failed.' }),
    publish: z
      .boolean()
      .optional()
      .meta({ description: "Only for the owner of the agent; it cannot be changed later, whatever the verdict. Anyone can read the arguments and the result of a published proof. Absent: the owner's proofs of a public agent are published, unless they gave arguments or files." }), // prettier-ignore
  })
  .meta({ id: 'ProofRunIn' });
export type ProofRunIn = z.infer<typeof ProofRunIn>;

const stale = z.enum(PROOF_STALE_REASONS).nullable().meta({ description: 'Why it does not apply to the live version; null: it does apply.' });
const hash = z.string().nullable();

const seen = {
  proof_id: z.string(),
  agent: z.string(),
  skill_name: z.string(),
  deploy_id: z.string(),
  version: z.string(),
  status: z.enum(PROOF_STATES),
  error: Fault.nullable().meta({ description: 'Why there is no result, or no verdict.' }),
  run_by: z.enum(PROOF_RUNNERS),
  case: z.enum(PROOF_CASES).meta({ description: 'Where the arguments are from.' }),
  seed: z.string().nullable(),
  checks: z.array(ProofCheck),
  card_hash: z.string(),
  head_sha: hash,
  image: hash,
  proof_hash: hash.meta({ description: 'SHA-256 of what is signed; null: nothing was signed.' }),
  receipt_id: z.string().nullable(),
  elapsed_ms: z.int().min(0).nullable().meta({ description: 'From its start to the end of the run.' }),
  stale,
  withdrawn: z
    .strictObject({ at: Instant, reason: z.string() })
    .nullable()
    .meta({ description: 'Its owner withdrew it: it stays in the list, shows no content any more, and counts for nothing.' }),
  created_at: Instant,
  ended_at: Instant.nullable(),
};
const ofTheRunner = { published: z.boolean(), grant_id: z.string().nullable(), run_id: z.string().nullable(), job_id: z.string().nullable() };

export const ProofOut = z.strictObject({ ...seen, ...ofTheRunner }).meta({ id: 'ProofOut' });
export type ProofOut = z.infer<typeof ProofOut>;
const ProofListOut = z.strictObject({ items: z.array(ProofOut), next_cursor: nextCursor }).meta({ id: 'ProofListOut' });

const content = {
  args: jsonObject,
  result: z.unknown().meta({ description: `Null where there is none, or where it is longer than ${MAX_PROOF_RESULT_LENGTH} characters as JSON.` }),
  has_result: z.boolean(),
  events: z.array(z.strictObject({ kind: z.string(), count: z.int().min(1) })).meta({ description: 'Events of the run, by kind.' }),
  file_ops: z.array(ReceiptFile),
  proof: z.string().nullable().meta({ description: 'The proof as signed: base64url(payload).base64url(signature), Ed25519.' }),
  receipt: z.string().nullable().meta({ description: 'The receipt of its call, as signed.' }),
};

export const ProofDetailOut = z
  .strictObject({ ...seen, ...ofTheRunner, ...content, deadline_seconds: z.int(), budget_micros: z.int(), properties: z.array(ProofProperty) })
  .meta({ id: 'ProofDetailOut' });
export type ProofDetailOut = z.infer<typeof ProofDetailOut>;

export const PublicProofOut = z.strictObject(seen).meta({ id: 'PublicProofOut' });
export type PublicProofOut = z.infer<typeof PublicProofOut>;
export const PublicProofDetailOut = z.strictObject({ ...seen, ...content }).meta({ id: 'PublicProofDetailOut' });
export type PublicProofDetailOut = z.infer<typeof PublicProofDetailOut>;

export const agentProofs = group({
  list: {
    at: 'GET /v1/me/agent-proofs',
    summary: 'The proofs that you ran, newest first',
    scope: 'account',
    query: pageQuery(20, 100, ['m']).extend({ agent: AgentSlug.optional(), status: z.enum(PROOF_STATES).optional() }),
    out: ProofListOut,
    errors: [400, 401, 403],
  },
  run: {
    at: 'POST /v1/me/agent-proofs/{name}/run',
    summary: 'Perform a skill on one case, check the outcome and sign a proof of it',
    description:
      'For the owner of the agent, and users who may call it, at their own cost. Answers at once: the proof runs as a job (its events: /v1/me/jobs/{job_id}/events/stream), and is cancelled as one. It may wake a sleeping agent. Requests with the same idempotency-key start one proof.', // prettier-ignore
    scope: 'account',
    params: AgentParams,
    headers: z.object({ 'idempotency-key': z.string().min(1).max(255).optional().meta({ description: 'A text of your own for each proof you mean.' }) }),
    bodyBytes: MAX_VALUE_BYTES,
    body: ProofRunIn,
    out: ProofDetailOut,
    status: 202,
    errors: [400, 401, 402, 403, 404, 409],
  },
});

export const proofDetail = svcGroup({
  get: {
    at: 'GET /v1/me/agent-proofs/{proof_id}',
    summary: 'A proof that you ran, with its arguments, its result and what is signed',
    scope: 'account',
    params: z.object({ proof_id: ProofId }),
    out: ProofDetailOut,
    errors: [401, 403, 404],
  },
  withdraw: {
    at: 'POST /v1/me/agent-proofs/{proof_id}/withdraw',
    summary: 'Withdraw a proof that you published',
    description:
      'This cannot be undone. Readers see that it was withdrawn, when and why, but no longer its arguments, its result and its checks. The badge of the agent shows it until there is a newer proof of the skill. Copies can still be verified: the signature stays valid.',
    scope: 'account',
    params: z.object({ proof_id: ProofId }),
    body: z
      .strictObject({ reason: trimmedText(500).meta({ description: 'Public.' }) })
      .meta({ id: 'ProofWithdrawIn', examples: [{ reason: 'The arguments named a customer' }] }),
    out: ProofDetailOut,
    errors: [401, 403, 404, 409],
  },
});

// An open wait as a run shows it.
import type { z } from 'zod';
import type { RecipientOut, RunWait } from '#contract/runs/runs.ts';
import { ANSWER_PATH } from '#contract/pauses/answer-path.ts';
import type { WaitsRow } from '#db/tables.ts';
import { argumentsSha256, questionOf, scopeRequestOf } from './model.ts';
import { asksOthers } from './shown-recipients.ts';

export function withoutContent(shown: z.infer<typeof RunWait>, row: WaitsRow): z.infer<typeof RunWait> {
  const { schema: _schema, request: _request, arguments_sha256: _sha256, ...rest } = shown;
  return { ...rest, prompt: asksOthers(row) };
}

/** @param recipient as the reader sees it (shown-recipients.ts) */
export function presentOpenWait(row: WaitsRow, recipient?: RecipientOut): z.infer<typeof RunWait> {
  const whole = presentWhole(row);
  if (!recipient) return whole;
  return { ...(recipient.you ? whole : withoutContent(whole, row)), recipient };
}

function presentWhole(row: WaitsRow): z.infer<typeof RunWait> {
  const sha256 = argumentsSha256(row);
  const about = sha256 === null ? {} : { arguments_sha256: sha256 };
  const { agent_name, skill, called_by } = row;
  const asking = { ...(agent_name !== null && { agent: agent_name }), ...(skill !== null && { skill }), ...(called_by.length > 0 && { called_by }) };
  const base = { wait_id: row.wait_id, prompt: row.prompt, ...asking, ...about, expires_at: row.expires_at.toISOString() };
  const kind = row.kind;
  const path = ANSWER_PATH[kind](row.wait_id);
  if (kind === 'scope_request') {
    const { reason, old, read, write_prefix, mode, ttl_seconds } = scopeRequestOf(row);
    return { ...base, kind, request: { reason, old, requested: { read, write_prefix, mode, ttl_seconds } }, answer_path: path };
  }
  if (kind === 'handoff_approval') return { ...base, kind, request: requestOf(row), answer_path: path };
  const { schema } = questionOf(row);
  return { ...base, kind, ...(schema === undefined ? {} : { schema }), answer_path: path };
}

// Safe: waits are written with an object as their request.
function requestOf(row: Pick<WaitsRow, 'request'>): Record<string, unknown> {
  return row.request as Record<string, unknown>;
}

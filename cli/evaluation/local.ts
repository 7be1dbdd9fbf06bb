// A dataset on this machine: the project as it is here, served as `svc dev --local` serves it, each example a
// call.
import type { DatasetItemOut, EvaluationRuleOut, ScoreOut } from '#contract/quality/evaluations.ts';
import { type ScoredRun, scoreExpected, scoreOf } from '#contract/quality/score.ts';
import { hostProject } from '../project/host.ts';
import type { Shares } from './compare.ts';

export interface LocalRun {
  folder: string;
  entrypoint: string;
  env: NodeJS.ProcessEnv;
  items: readonly DatasetItemOut[];
  rules: readonly EvaluationRuleOut[];
  note: (text: string) => void;
  /** After each example. */
  done: (item: DatasetItemOut, scores: readonly ScoreOut[], passed: boolean) => void;
}

const AT_ONCE = 4;

/** @throws ProjectError */
export async function evaluateLocally({ folder, entrypoint, env, items, rules, note, done }: LocalRun): Promise<Shares> {
  const hosted = await hostProject({ folder, entrypoint, host: '127.0.0.1', port: 0, reload: false, env, note: () => undefined, complain: note });
  const shares: Shares = { items: items.length, passed: 0, rules: [] };
  const queue = [...items];
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      const run = await called(hosted.url, item, env.SVC_API_KEY);
      const scores = scoresOf(item, rules, run);
      const passed = run.outcome !== undefined && 'result' in run.outcome && scores.every((score) => score.passed === true);
      count(shares, scores, passed);
      done(item, scores, passed);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await hosted.close();
  }
  return { ...shares, rules: shares.rules.toSorted((a, b) => a.rule.localeCompare(b.rule)) };
}

async function called(url: string, { skill, args }: DatasetItemOut, key: string | undefined): Promise<ScoredRun> {
  const began = performance.now();
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  const response = await fetch(`${url}/invoke/${skill}`, { method: 'POST', headers, body: JSON.stringify(args) });
  const body: unknown = await response.json().catch(() => undefined);
  const latencyMs = performance.now() - began;
  if (response.status === 200) return { outcome: { result: body }, latencyMs, costMicros: 0 };
  return { outcome: { error: { code: codeIn(body) ?? `http_${response.status}` } }, latencyMs, costMicros: 0 };
}

function codeIn(body: unknown): string | undefined {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined;
  return typeof detail === 'object' && detail !== null && 'code' in detail && typeof detail.code === 'string' ? detail.code : undefined;
}

/** Scores of a local run: without the cost of models, judges and thumbs. */
function scoresOf(item: DatasetItemOut, rules: readonly EvaluationRuleOut[], run: ScoredRun): ScoreOut[] {
  const scores: ScoreOut[] = 'expected' in item ? [{ rule: 'expected', ...scoreExpected(item.expected, run) }] : [];
  for (const { rule, check, skills, enabled } of rules) {
    if (!enabled || check.kind === 'cost' || (skills.length > 0 && !skills.includes(item.skill))) continue;
    const given = scoreOf(check, run, (work) => ({ value: work() }));
    if (given) scores.push({ rule, ...given });
  }
  return scores;
}

function count(shares: Shares, scores: readonly ScoreOut[], passed: boolean): void {
  if (passed) shares.passed += 1;
  for (const { rule, passed: well } of scores) {
    if (well === null) continue;
    const row = shares.rules.find((one) => one.rule === rule);
    if (!row) shares.rules.push({ rule, scored: 1, passed: well ? 1 : 0 });
    else {
      row.scored += 1;
      row.passed += well ? 1 : 0;
    }
  }
}

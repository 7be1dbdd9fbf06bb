import type { evaluations } from '#contract/quality/evaluations.ts';
import { giveEvaluationConsent, listEvaluationConsents, withdrawEvaluationConsent } from '#core/quality/evaluation/consent.ts';
import { addItems, deleteDataset, deleteItem, listDatasets, listItems } from '#core/quality/evaluation/dataset.ts';
import { cancelEvaluation, listEvaluations, readEvaluation } from '#core/quality/evaluation/read.ts';
import { deleteRule, listRules, putRule } from '#core/quality/evaluation/rules.ts';
import { startEvaluation } from '#core/quality/evaluation/start.ts';
import { readRunScores, readSummary } from '#core/quality/evaluation/summary.ts';
import { deleteThumb, putThumb } from '#core/quality/evaluation/thumb.ts';
import type { Handlers } from '../../http/handlers.ts';

export const evaluationRoutes: Handlers<typeof evaluations> = {
  rules: (ctx, { params }) => listRules(ctx, params),
  putRule: (ctx, { params, body }) => putRule(ctx, { ...params, ...body }),
  deleteRule: (ctx, { params }) => deleteRule(ctx, params),
  summary: (ctx, { params, query }) => readSummary(ctx, { ...params, ...query }),
  runScores: (ctx, { params }) => readRunScores(ctx, params),
  putThumb: (ctx, { params, body }) => putThumb(ctx, { ...params, ...body }),
  deleteThumb: (ctx, { params }) => deleteThumb(ctx, params),
  consents: (ctx) => listEvaluationConsents(ctx),
  consent: (ctx, { params }) => giveEvaluationConsent(ctx, params),
  withdrawConsent: (ctx, { params }) => withdrawEvaluationConsent(ctx, params),
  datasets: (ctx, { params }) => listDatasets(ctx, params),
  addItems: (ctx, { params, body }) => addItems(ctx, { ...params, ...body }),
  items: (ctx, { params, query }) => listItems(ctx, { ...params, ...query }),
  deleteItem: (ctx, { params }) => deleteItem(ctx, params),
  deleteDataset: (ctx, { params }) => deleteDataset(ctx, params),
  evaluate: (ctx, { params }) => startEvaluation(ctx, params),
  evaluations: (ctx, { params, query }) => listEvaluations(ctx, { ...params, ...query }),
  evaluation: (ctx, { params }) => readEvaluation(ctx, params),
  cancelEvaluation: (ctx, { params }) => cancelEvaluation(ctx, params),
};

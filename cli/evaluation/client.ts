// What the platform serves of evaluations, beside the API that the specification lists.
import type { Client } from '#contract/client.ts';
import type { DatasetItemOut, evaluations } from '#contract/runs/evaluations.ts';
import type { RouteEntry } from '#contract/route-table.ts';

export type EvaluationApi = Client<{ evaluations: typeof evaluations }>['evaluations'];

const AGENT = '/v1/agents/{name}';
const RULE = `${AGENT}/evaluation/rules/{rule}` as const;
const DATASET = `${AGENT}/datasets/{dataset}` as const;
const RUN = '/v1/me/runs/{run_id}/thumb';
const CONSENT = '/v1/me/evaluation-consents';

/** As `tableOf` makes it of the contract, without loading the contract's schemas. */
export const EVALUATION_ROUTES: Record<keyof typeof evaluations, RouteEntry> = {
  rules: { at: `GET ${AGENT}/evaluation/rules`, out: 'json' },
  putRule: { at: `PUT ${RULE}`, body: 'json', out: 'json' },
  deleteRule: { at: `DELETE ${RULE}` },
  summary: { at: `GET ${AGENT}/evaluation`, out: 'json' },
  runScores: { at: `GET ${AGENT}/api/runs/{run_id}/scores`, out: 'json' },
  putThumb: { at: `PUT ${RUN}`, body: 'json' },
  deleteThumb: { at: `DELETE ${RUN}` },
  consents: { at: `GET ${CONSENT}`, out: 'json' },
  consent: { at: `PUT ${CONSENT}/{agent}` },
  withdrawConsent: { at: `DELETE ${CONSENT}/{agent}` },
  datasets: { at: `GET ${AGENT}/datasets`, out: 'json' },
  addItems: { at: `POST ${DATASET}/items`, body: 'json', out: 'json' },
  items: { at: `GET ${DATASET}/items`, out: 'json' },
  deleteItem: { at: `DELETE ${DATASET}/items/{item_id}` },
  deleteDataset: { at: `DELETE ${DATASET}` },
  evaluate: { at: `POST ${DATASET}/evaluations`, out: 'json' },
  evaluations: { at: `GET ${AGENT}/evaluations`, out: 'json' },
  evaluation: { at: `GET ${AGENT}/evaluations/{evaluation_id}`, out: 'json' },
  cancelEvaluation: { at: `POST ${AGENT}/evaluations/{evaluation_id}/cancel`, out: 'json' },
};

const PAGE = 200;

/** Of a dataset, oldest first. */
export async function allExamples(api: EvaluationApi, params: { name: string; dataset: string }): Promise<DatasetItemOut[]> {
  const items: DatasetItemOut[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await api.items({ params, query: { limit: PAGE, ...(cursor !== undefined && { cursor }) } });
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}

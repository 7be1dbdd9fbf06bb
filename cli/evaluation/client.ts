// What the platform serves of evaluations, beside the API that the specification lists.
import type { Beside } from '#contract/beside.ts';
import type { Client } from '#contract/client.ts';
import type { DatasetItemOut } from '#contract/quality/evaluations.ts';

export type EvaluationApi = Client<Beside>['evaluations'];

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

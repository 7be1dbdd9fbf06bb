// Where Temporal's UI shows our workflows: the bare address opens another namespace, and every workflow at once.
import { devServerNamespace } from './temporal.ts';

/** What is looked at first; all of them: deploy/runbooks/saved-views.md. */
const UNDER_WAY = "ExecutionStatus = 'Running'";

export function workflowsPage(uiUrl: string, query: string = UNDER_WAY): string {
  const list = `${uiUrl}/namespaces/${encodeURIComponent(devServerNamespace())}/workflows`;
  return query === '' ? list : `${list}?query=${encodeURIComponent(query).replaceAll("'", '%27')}`;
}

// Where a person answers what a run asks, by the kind of what is asked.
import type { WaitKind } from '../states.ts';
import { pathTo } from '../path-to.ts';

export const ANSWER_PATH: Record<WaitKind, (waitId: string) => string> = {
  question: (id) => pathTo('POST /v1/me/chat/questions/{question_id}', { question_id: id }),
  input_request: (id) => pathTo('POST /v1/me/chat/input-requests/{request_id}', { request_id: id }),
  handoff_approval: (id) => pathTo('POST /v1/me/chat/approvals/{approval_id}', { approval_id: id }),
  scope_request: (id) => pathTo('POST /v1/me/chat/scope-approvals/{approval_id}', { approval_id: id }),
};

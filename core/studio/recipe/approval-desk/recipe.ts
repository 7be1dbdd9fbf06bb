// approval_desk: a person decides, the decision is kept, and a webhook hears of it.
import { z } from 'zod';
import { parsedInputs } from '../inputs.ts';
import { projectOf, secretSteps } from '../project.ts';
import type { Recipe } from '../recipe.ts';
import { webhookHost, webhookOf } from '../webhook.ts';

const inputs = z.object({
  question: z.string().trim().min(1).max(500).default('Do you approve this request?').describe('What the person is asked, before the request itself.'),
  approve_up_to: z.number().min(0).max(1e12).optional().describe('Requests up to this amount are approved without a person; absent: none.'),
  wait_seconds: z
    .int()
    .min(60)
    .max(30 * 86_400)
    .default(86_400)
    .describe('How long the person has.'),
  webhook_host: webhookHost,
});

export const approvalDesk: Recipe = {
  recipe: 'approval_desk',
  title: 'Approval desk',
  description: 'Asks its owner to approve or deny a request, keeps the decision, and gives the same one when asked again.',
  words: ['approve', 'approval', 'decision', 'person', 'confirm', 'permission', 'sign', 'manager', 'review', 'deny', 'expense', 'request', 'decide', 'before'],
  inputs,
  async write(_ctx, brief) {
    const { question, approve_up_to, wait_seconds, webhook_host } = parsedInputs(inputs, brief.inputs);
    const webhook = webhookOf(brief.integrations, webhook_host);
    const files = await projectOf({
      brief,
      folder: import.meta.dirname,
      className: 'ApprovalDesk',
      modules: ['decision.ts', 'deliver.ts', 'bounded-fetch.ts'],
      settingsFrom: 'decision.ts',
      settings: { question, approve_up_to: approve_up_to ?? null, wait_seconds, webhook },
      hosts: webhook?.hosts ?? [],
      about: [
        '`decide` asks the owner of the agent, never the requester, and waits for the answer; `decision` and `list_decisions` look up what was decided. Decisions are in the memory of the agent, for each requester apart.',
      ],
    });
    return {
      files,
      trials: [
        { skill: 'decision', args: { reference: 'trial' }, expect: { type: 'object', properties: { decision: { type: 'null' } }, required: ['decision'] } },
        { skill: 'list_decisions', args: { limit: 1 }, expect: { type: 'object', required: ['decisions'] } },
      ],
      next: [...secretSteps(brief, 1), `Ask for a decision: svc call ${brief.name} decide reference=first title="The first request"`],
    };
  },
};

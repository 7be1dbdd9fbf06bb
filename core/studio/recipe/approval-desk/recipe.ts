// approval_desk: a person decides, the decision is kept, and a webhook hears of it.
import { z } from 'zod';
import { ORGANIZATION_ROLES, type OrganizationRole } from '#contract/states.ts';
import { type AskRecipient, MAX_QUESTION_RECIPIENTS } from '#contract/wire/context-methods.ts';
import { parsedInputs, refuseInput } from '../inputs.ts';
import { projectOf, secretSteps } from '../project.ts';
import type { Recipe } from '../recipe.ts';
import { webhookHost, webhookOf } from '../webhook.ts';

const inputs = z.object({
  ask_role: z
    .enum(ORGANIZATION_ROLES)
    .optional()
    .describe('Any member of your organization with this role decides, but not their own request; absent: the owner, of an organization its members.'),
  ask_people: z
    .array(z.string().trim().min(1).max(254))
    .max(MAX_QUESTION_RECIPIENTS)
    .default([])
    .describe('Addresses or account ids of those who decide: members of your organization, or accounts that have called the agent and have scopes of it.'),
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
  description: 'Asks its owner, or whom the owner names, to approve or deny a request, keeps the decision, and gives the same one when asked again.',
  words: ['approve', 'approval', 'decision', 'person', 'confirm', 'permission', 'sign', 'manager', 'review', 'deny', 'expense', 'request', 'decide', 'before'],
  inputs,
  async write(_ctx, brief) {
    const { ask_role, ask_people, question, approve_up_to, wait_seconds, webhook_host } = parsedInputs(inputs, brief.inputs);
    if (ask_role !== undefined && ask_people.length > 0) refuseInput(['ask_people'], 'is for people by name: leave it out, or leave ask_role out');
    const webhook = webhookOf(brief.integrations, webhook_host);
    const files = await projectOf({
      brief,
      folder: import.meta.dirname,
      className: 'ApprovalDesk',
      modules: ['decision.ts', 'decisions.ts', 'deliver.ts', 'bounded-fetch.ts'],
      settingsFrom: 'decision.ts',
      settings: { ask: askOf(ask_role, ask_people), question, approve_up_to: approve_up_to ?? null, wait_seconds, webhook },
      hosts: webhook?.hosts ?? [],
      about: [
        '`decide` asks whom `ask` in `settings.ts` says, the owner, a role or people by name, and waits for the answer: never the requester, unless they are named, or are the owner themselves. `decision` and `list_decisions` look up what was decided for who calls them, `all_decisions` for all: for you, and for whom you give the scope `decisions` (`svc callers grant`). Decisions are in the shared memory of the agent.',
      ],
    });
    return {
      files,
      trials: [
        { skill: 'decision', args: { reference: 'trial' }, expect: { type: 'object', properties: { decision: { type: 'null' } }, required: ['decision'] } },
        { skill: 'list_decisions', args: { limit: 1 }, expect: { type: 'object', required: ['decisions'] } },
      ],
      next: [
        ...secretSteps(brief, 1),
        `See what was decided: svc call ${brief.name} all_decisions`,
        `Ask for a decision: svc call ${brief.name} decide reference=first title="The first request"`,
      ],
    };
  },
};

function askOf(role: OrganizationRole | undefined, people: readonly string[]): AskRecipient {
  if (role !== undefined) return { role };
  return people.length === 0 ? 'owner' : { people: [...people] };
}

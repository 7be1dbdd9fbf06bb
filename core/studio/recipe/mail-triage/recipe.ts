// mail_triage: mail to the agent is sorted, answered and listed.
import { z } from 'zod';
import { AllowedSenders } from '#contract/wire/mail.ts';
import { parsedInputs } from '../inputs.ts';
import { projectOf, secretSteps } from '../project.ts';
import type { Recipe } from '../recipe.ts';

const Reply = z.string().trim().min(1).max(4_000).optional().describe('What is answered, with {subject} and {category} filled in; absent: nothing.');
const CategoryInput = z.strictObject({
  name: z
    .string()
    .regex(/^(?!other$)[a-z][a-z0-9_-]{0,39}$/, 'use lower-case letters, digits, _ and -; "other" is what fits none')
    .describe('As it is listed.'),
  words: z.array(z.string().trim().min(1).max(80)).min(1).max(50).describe('Words or phrases, any of which a mail has.'),
  urgent: z.boolean().default(false).describe('Marked in the list and in the log.'),
  reply: Reply,
});

const inputs = z.object({
  categories: z
    .array(CategoryInput)
    .min(1)
    .max(20)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two categories have the same name')
    .default([
      { name: 'billing', words: ['invoice', 'payment', 'refund', 'receipt', 'price'], urgent: false },
      { name: 'problem', words: ['error', 'broken', 'down', 'does not work', 'failed', 'bug'], urgent: true },
      { name: 'question', words: ['how', 'question', 'help', 'where', 'can i'], urgent: false },
    ])
    .describe('Into which mail is sorted: [{"name": "billing", "words": ["invoice"], "reply": "We look into it."}].'),
  other_reply: Reply,
  by_model: z.boolean().default(false).describe('A language model of yours decides; words decide when it does not answer.'),
  allowed_senders: AllowedSenders.default([]).describe('Addresses and @domains that may write to it beside you.'),
});

export const mailTriage: Recipe = {
  recipe: 'mail_triage',
  title: 'Mail triage',
  description: 'Sorts the mail that people write to it, answers what has an answer, and lists the rest.',
  words: ['mail', 'email', 'inbox', 'triage', 'sort', 'reply', 'emails', 'mailbox', 'support', 'messages', 'answer', 'sender', 'urgent'],
  inputs,
  async write(_ctx, brief) {
    const { categories, other_reply, by_model, allowed_senders } = parsedInputs(inputs, brief.inputs);
    const files = await projectOf({
      brief,
      folder: import.meta.dirname,
      className: 'MailTriage',
      modules: ['triage.ts'],
      settingsFrom: 'triage.ts',
      settings: {
        categories: categories.map(({ name, words, urgent, reply }) => ({ name, words, urgent, reply: reply ?? null })),
        other: { urgent: false, reply: other_reply ?? null },
        by_model,
      },
      yaml: `mailbox:\n  allowed_senders: ${JSON.stringify(allowed_senders)}\n${by_model ? 'models:\n  paid_by: owner\n' : ''}`,
      about: [
        '`on_email` gets the mail that people write to the agent, `triage` shows how one would be sorted, `list_mail` lists what came. The list is in its memory.',
      ],
    });
    const [first] = categories;
    return {
      files,
      trials: [
        {
          skill: 'triage',
          args: { body: first?.words[0] ?? 'hello' },
          expect: { type: 'object', required: ['category', 'urgent', 'reply'], properties: { category: { type: 'string' } } },
        },
        { skill: 'list_mail', args: { limit: 1 }, expect: { type: 'object', required: ['mail', 'counts'] } },
      ],
      next: [
        ...secretSteps(brief, 0),
        `See its address and who may write to it: svc mailbox get ${brief.name}`,
        ...(by_model ? ['Store a model credential of yours, or words decide: svc models set'] : []),
      ],
    };
  },
};

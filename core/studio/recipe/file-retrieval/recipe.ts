// file_retrieval: passages of the caller's files, found by the platform's full-text search and ranked by the
// agent; with a model that embeds by meaning, too.
import { z } from 'zod';
import { parsedInputs } from '../inputs.ts';
import { projectOf, secretSteps } from '../project.ts';
import type { Recipe } from '../recipe.ts';

const inputs = z.object({
  subject: z.string().max(200).default('').describe('What the files are about. Searched for where a question finds nothing.'),
  file_types: z
    .array(z.enum(['text', 'document', 'code', 'data']))
    .min(1)
    .max(4)
    .default(['text', 'document'])
    .describe('Kinds of files that are searched.'),
  embedding_model: z
    .string()
    .regex(/^[!-)+-~]{0,200}$/, 'is no model id')
    .default('')
    .describe('Model of your model credential that embeds, such as text-embedding-3-small: passages are ranked by meaning, too. Empty: only by their words.'),
  max_files: z.int().min(1).max(25).default(10).describe('Files that are read for one question.'),
});

export const fileRetrieval: Recipe = {
  recipe: 'file_retrieval',
  title: 'File retrieval',
  description: 'Finds passages in the files of the caller, with their places, and shows the lines around them.',
  words: ['search', 'files', 'documents', 'find', 'passages', 'handbook', 'knowledge', 'folder', 'notes', 'lookup', 'question', 'answer', 'manual', 'policies'],
  inputs,
  async write(_ctx, brief) {
    const { embedding_model, ...settings } = parsedInputs(inputs, brief.inputs);
    const files = await projectOf({
      brief,
      folder: import.meta.dirname,
      className: 'FileRetrieval',
      modules: ['passages.ts', 'meaning.ts'],
      yaml: embedding_model === '' ? '' : `models:\n  paid_by: owner\n  embedding: ${JSON.stringify(embedding_model)}\n`,
      settingsFrom: 'passages.ts',
      settings,
      about: [
        '`search` finds passages of the caller’s files, `read` shows lines of one. It sees the files that the caller passes on or allows, and none below `private/`.',
        'With `models: { embedding: MODEL }` in `svc.yaml` passages are ranked by what they mean beside their words; each question then sends up to 256 passages to that model.',
      ],
    });
    const expect = { type: 'object', required: ['passages', 'documents'], properties: { passages: { type: 'array' } } };
    return {
      files,
      trials: [{ skill: 'search', args: { question: 'What is written here?', limit: 1 }, expect }],
      next: [...secretSteps(brief, 0), `Put files into your workspace, then: svc call ${brief.name} search question="What is written here?"`],
    };
  },
};

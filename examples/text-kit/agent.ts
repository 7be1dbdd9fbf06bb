import { Agent, skill, z } from '@svc/sdk';
import { createTwoFilesPatch, diffWordsWithSpace } from 'diff';
import { lexer } from 'marked';
import { bestSentences } from './digest.ts';
import { outlineOf } from './outline.ts';

const Text = z.string().min(1).max(200_000);

export class TextKit extends Agent {
  name = 'text-kit';
  description = 'Compares, outlines and digests texts; needs no model and no key.';
  version = '0.1.0';
  inputModes = ['application/json'];
  outputModes = ['application/json', 'text/event-stream'];
  concurrency = 4;
  resources = { cpu: '500m', memory: '256Mi', maxRuntimeSeconds: 60 };

  compare = skill(
    {
      description: 'Compares two texts: how alike they are, and a unified diff.',
      tags: ['text', 'diff'],
      idempotent: true,
      input: z.object({ before: Text, after: Text, context: z.int().min(0).max(20).default(3).describe('Unchanged lines around a change.') }),
      output: z.object({ similarity: z.number().min(0).max(1), added_words: z.int(), removed_words: z.int(), patch: z.string() }),
    },
    async (_ctx, { before, after, context }) => {
      const changes = diffWordsWithSpace(before, after);
      const length = (wanted: (change: (typeof changes)[number]) => boolean) => changes.filter(wanted).reduce((sum, { value }) => sum + value.length, 0);
      const same = length((change) => !change.added && !change.removed);
      return {
        similarity: (2 * same) / (before.length + after.length),
        added_words: wordsIn(changes.filter((change) => change.added)),
        removed_words: wordsIn(changes.filter((change) => change.removed)),
        patch: createTwoFilesPatch('before', 'after', before, after, undefined, undefined, { context }),
      };
    },
  );

  outline = skill(
    {
      description: 'Outlines a Markdown document: headings, links, code blocks and reading time.',
      tags: ['text', 'markdown'],
      idempotent: true,
      input: z.object({ markdown: Text }),
      output: z.object({
        headings: z.array(z.object({ level: z.int(), text: z.string() })),
        links: z.array(z.object({ text: z.string(), href: z.string() })),
        code_languages: z.array(z.string()),
        words: z.int(),
        reading_minutes: z.number(),
      }),
    },
    async (_ctx, { markdown }) => outlineOf(lexer(markdown)),
  );

  digest = skill(
    {
      description: 'Streams the sentences of a text that say most, in their order, while it reads.',
      tags: ['text', 'summary'],
      stream: true,
      timeoutSeconds: 30,
      input: z.object({ text: Text, sentences: z.int().min(1).max(20).default(3) }),
      output: z.object({ digest: z.string(), sentences: z.array(z.string()), of: z.int() }),
    },
    async (ctx, { text, sentences }) => {
      await ctx.emitProgress('reading', { progress: 0, total: 2 });
      const { chosen, of } = bestSentences(text, sentences);
      await ctx.emitProgress(`weighed ${of} sentences`, { progress: 1, total: 2 });
      for (const sentence of chosen) {
        ctx.checkCancelled();
        await ctx.emitTextDelta(`${sentence} `);
      }
      await ctx.emitProgress('done', { progress: 2, total: 2 });
      return { digest: chosen.join(' '), sentences: chosen, of };
    },
  );
}

function wordsIn(changes: readonly { value: string }[]): number {
  return changes.reduce((sum, { value }) => sum + (value.match(/[\p{L}\p{N}]+/gu)?.length ?? 0), 0);
}

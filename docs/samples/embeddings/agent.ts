// The sample agent of docs/authoring/models.md: which of several answers means what a question asks.
import { Agent, skill, z } from '@svc/sdk';

// region agent
export class Closest extends Agent {
  name = 'closest';
  description = 'Finds the answer that is closest to a question.';
  version = '0.1.0';

  closest = skill(
    {
      description: 'Says which of some answers is closest to a question by what they mean.',
      input: z.object({ question: z.string().min(1), answers: z.array(z.string().min(1)).min(1).max(255) }),
      output: z.object({ answer: z.string() }),
    },
    async (ctx, { question, answers }) => {
      const { vectors } = await ctx.llm.embed([question, ...answers]);
      const [asked = [], ...rest] = vectors;
      // Models give vectors of length 1: then this is the cosine of their angle.
      const near = rest.map((vector) => vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0));
      return { answer: answers[near.indexOf(Math.max(...near))] ?? '' };
    },
  );
}
// endregion

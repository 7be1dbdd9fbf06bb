// What the commands that take a brief of the studio have in common.
import { Option } from 'clipanion';
import type { z } from 'zod';
import { STUDIO_RECIPES, STUDIO_REVIEWS } from '#contract/states.ts';
import type { GuestBrief, StudioBrief } from '#contract/studio/studio-brief.ts';
import { ApiCommand, integer, oneOf } from '../lib/api-command.ts';
import { UsageError } from '../lib/errors.ts';
import { MODEL_WORDS, modelIn } from './model-words.ts';

export abstract class GuestBriefCommand extends ApiCommand {
  name = Option.String({ name: 'NAME' });
  goal = Option.String({ name: 'GOAL' });
  input = Option.Array('--input', [], {
    description: 'KEY=VALUE for the recipe; JSON is read as JSON, @FILE is what is in the file; several times for several',
  });
  inputs = Option.String('--inputs', { description: 'a JSON file with all of them' });
  recipe = Option.String('--recipe', { description: `one of ${STUDIO_RECIPES.join(', ')} (default: the one that fits best)` });
  secret = Option.Array('--secret', [], { description: 'name of a secret that the agent needs; you set its value later; several times for several' });
  frontend = Option.Boolean('--frontend', false, { description: 'with a frontend' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  protected async guestBrief(): Promise<z.input<typeof GuestBrief>> {
    return {
      name: this.name,
      goal: this.goal,
      inputs: await this.#inputs(),
      integrations: this.secret,
      frontend: this.frontend,
      ...(this.recipe !== undefined && { recipe: oneOf('--recipe', this.recipe, STUDIO_RECIPES) }),
    };
  }

  async #inputs(): Promise<Record<string, unknown>> {
    const { inputReader, pairArguments } = await import('../call/arguments.ts');
    const { readJsonFile } = await import('../lib/json-file.ts');
    const given = this.inputs === undefined ? {} : await readJsonFile(this.inputs, 'name a JSON file with the inputs');
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new UsageError(`${this.inputs} must be a JSON object with the inputs by name.`);
    // Safe: it is a JSON object.
    return { ...(given as Record<string, unknown>), ...(await pairArguments(this.input, inputReader(this.context.stdin), async () => undefined)) };
  }
}

export abstract class BriefCommand extends GuestBriefCommand {
  review = Option.String('--review', 'standard', { description: `${STUDIO_REVIEWS.join(', ')}: how strictly it is reviewed` });
  budget = Option.String('--budget', '500', { description: 'cents that language models may cost, 100 to 3000' });
  iterations = Option.String('--iterations', '3', { description: 'how often a model may fix refused source, 0 to 5' });
  model = Option.String('--model', { description: MODEL_WORDS });
  credential = Option.String('--credential', { description: 'the model credential that is used (svc models)' });
  samples = Option.Boolean('--samples', true, { description: 'call it with samples once it is live, in your account' });

  protected async brief(): Promise<z.input<typeof StudioBrief>> {
    const model = modelIn(this.model, this.credential);
    return {
      ...(await this.guestBrief()),
      review: oneOf('--review', this.review, STUDIO_REVIEWS),
      budget_cents: integer('--budget', this.budget, { min: 100, max: 3000 }),
      iterations: integer('--iterations', this.iterations, { min: 0, max: 5 }),
      account_trial_calls: this.samples,
      ...(model !== undefined && { model }),
    };
  }

  /** The same brief as words of a command line. */
  protected briefWords(): string[] {
    return [
      this.name,
      this.goal,
      ...this.input.flatMap((pair) => ['--input', pair]),
      ...(this.inputs === undefined ? [] : ['--inputs', this.inputs]),
      ...(this.recipe === undefined ? [] : ['--recipe', this.recipe]),
      ...this.secret.flatMap((name) => ['--secret', name]),
      ...(this.frontend ? ['--frontend'] : []),
      ...(this.review === 'standard' ? [] : ['--review', this.review]),
      ...(this.budget === '500' ? [] : ['--budget', this.budget]),
      ...(this.iterations === '3' ? [] : ['--iterations', this.iterations]),
      ...(this.model === undefined ? [] : ['--model', this.model]),
      ...(this.credential === undefined ? [] : ['--credential', this.credential]),
      ...(this.samples ? [] : ['--no-samples']),
    ];
  }
}

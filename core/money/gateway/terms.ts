// What a run's deployment declares of models.
import { z } from 'zod';
import { ModelUse, type ModelTerms, termsOf } from '#contract/wire/model-use.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { processKey } from '../../kernel/settings.ts';

const MOST_KNOWN = 5_000;
/** A deployment's manifest never changes. */
const known = new WeakMap<object, Map<string, ModelUse | null>>();

/** @throws Forbidden models_not_declared */
export async function declaredTerms({ db }: Pick<Ctx, 'db'>, run: RunActor): Promise<ModelTerms> {
  const key = processKey(db);
  const uses = known.get(key) ?? new Map<string, ModelUse | null>();
  known.set(key, uses);
  let use = uses.get(run.deploy_id);
  if (use === undefined) {
    const row = await db('deployments').where({ deploy_id: run.deploy_id }).first<{ models: unknown } | undefined>(db.raw(`manifest->'models' as models`));
    use = z.nullish(ModelUse).parse(row?.models) ?? null;
    if (uses.size >= MOST_KNOWN) uses.clear();
    uses.set(run.deploy_id, use);
  }
  if (use === null)
    throw new Forbidden(
      'models_not_declared',
      `${run.agent_name} does not declare that its runs use language models: add "models:" to its svc.yaml and deploy`,
    );
  return termsOf(use, run.skill);
}

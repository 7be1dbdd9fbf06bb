// Who asks the model gateway: a run, by its own credential or by the key of a model grant.
import { z } from 'zod';
import { MODEL_KEY_PREFIX } from '#contract/wire/model-use.ts';
import { withControl } from '../../accounts/control.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { Unauthorized } from '../../kernel/errors.ts';
import { hashSecret } from '../../kernel/secret.ts';
import type { GrantLimits } from '../../money/gateway/payer.ts';
import { requireOpenRun, runCredential } from '../run/authenticate.ts';
import { RUN_TOKEN_PREFIX } from '../run/credential.ts';

export interface ModelCaller {
  run: RunActor;
  grant: GrantLimits | undefined;
  /** On what it stands, for as long as it is under way. */
  claim: { actor: RunActor; modelGrant?: string; expiresAt: number };
}

/** @throws Unauthorized model_key_invalid, run_credential_invalid; Forbidden account_suspended */
export async function modelCaller({ db, drivers, clock }: Pick<Ctx, 'db' | 'drivers' | 'clock'>, key: string | undefined): Promise<ModelCaller> {
  const caller = await identify();
  // Of a run that only looks nothing may cost anything.
  if (caller.run.looks) throw invalid();
  return { ...caller, run: await withControl(db, caller.run) };

  async function identify(): Promise<ModelCaller> {
    if (key?.startsWith(RUN_TOKEN_PREFIX)) {
      const { actor: run, expiresAt } = await runCredential({ db, vault: drivers.vault, clock }, key);
      return { run, grant: undefined, claim: { actor: run, expiresAt } };
    }
    if (!key?.startsWith(MODEL_KEY_PREFIX)) throw invalid();
    const row = await db('llm_grants')
      .where({ key_hash: hashSecret(key) })
      .where('expires_at', '>', new Date(clock()))
      .first();
    if (!row) throw invalid();
    const run = storedRun(row.run);
    const expiresAt = row.expires_at.getTime();
    await requireOpenRun({ db, clock }, run, expiresAt);
    return { run, grant: row, claim: { actor: run, modelGrant: row.key_hash, expiresAt } };
  }
}

const Stored = z.looseObject({ kind: z.literal('run'), run_id: z.string(), agent_id: z.string(), owner_id: z.string() });

// Safe: make.ts wrote it, from an actor.
function storedRun(value: unknown): RunActor {
  return Stored.parse(value) as unknown as RunActor;
}

function invalid(): Unauthorized {
  return new Unauthorized(
    'model_key_invalid',
    'Send the credential of the current run (x-svc-run-token), or the key of a model grant, as the API key; this one is neither, or has expired',
  );
}

// Where a proof to check comes from: a file, or the newest that an agent has published. And what stands
// beside it.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Api } from '../lib/api.ts';
import { CliError, UsageError } from '../lib/errors.ts';

/** As `svc proof create --json` and the API print it; other members are passed over. */
const Saved = z.object({
  proof: z.string().min(1),
  receipt: z.string().min(1),
  args: z.unknown().optional(),
  result: z.unknown().optional(),
  has_result: z.boolean().optional(),
});
export type SavedProof = z.infer<typeof Saved>;

/** JSON with the members proof and receipt, or the two tokens with white space between them. */
export async function proofInFile(path: string): Promise<SavedProof> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`${path} cannot be read.`);
  });
  if (!text.trimStart().startsWith('{')) {
    const [proof, receipt, ...rest] = text.trim().split(/\s+/);
    if (proof === undefined || receipt === undefined || rest.length > 0) throw new UsageError(`${path} must hold a proof and its receipt, with white space between them, or JSON.`); // prettier-ignore
    return { proof, receipt };
  }
  const read = Saved.safeParse(jsonOf(text, path));
  if (!read.success) throw new UsageError(`${path} holds no proof with its receipt: ${z.prettifyError(read.error)}`);
  return read.data;
}

/** @throws CliError where the agent has published none */
export async function newestOf(api: Api, name: string): Promise<SavedProof> {
  const standing = await api.public.latestProof({ params: { name } });
  const latest = 'standing' in standing ? standing.latest : null;
  if (latest === null || latest.proof === null || latest.receipt === null) throw new CliError(`${name} has published no proof.`);
  const { proof, receipt, args, result, has_result } = latest;
  return { proof, receipt, args, result, has_result };
}

const Keys = z.object({ keys: z.array(z.object({ kid: z.string(), public_key: z.string(), not_before: z.string(), not_after: z.string() })) });
export type Keys = z.infer<typeof Keys>['keys'];

/** A file with what `GET /v1/public/receipt-keys` answers. */
export async function keysInFile(path: string): Promise<Keys> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`${path} cannot be read.`);
  });
  const read = Keys.safeParse(jsonOf(text, path));
  if (!read.success) throw new UsageError(`${path} holds no published keys: save what /v1/public/receipt-keys answers.`);
  return read.data.keys;
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch {
    throw new UsageError(`${path} is not JSON.`);
  }
}

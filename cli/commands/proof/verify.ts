import { existsSync } from 'node:fs';
import { verifyAsync } from '@noble/ed25519';
import { Command, Option } from 'clipanion';
import type { BesideProof, Finding } from '#contract/wire/proof-check.ts';
import { ApiCommand } from '../../lib/api-command.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { plain } from '../../lib/output.ts';
import { objectIn } from '../../proof/property.ts';
import type { SavedProof } from '../../proof/source.ts';

export class ProofVerifyCommand extends ApiCommand {
  static override paths = [['proof', 'verify']];
  static override usage = Command.Usage({
    description: 'check a proof: its signature, its receipt, and the card, source and image that it names',
    details:
      'FILE is the output of svc proof create --json; AGENT stands for the newest published proof of the agent. With --keys and a file nothing is fetched. Ends with 0 when the proof is authentic and passed, with 1 otherwise.',
    examples: [
      ['The newest of an agent', 'svc proof verify text-kit'],
      ['Offline', 'svc proof verify proof.json --keys keys.json --card card.json --clone ./text-kit'],
    ],
  });

  what = Option.String({ name: 'FILE|AGENT' });
  keys = Option.String('--keys', { description: 'file with the published keys, as /v1/public/receipt-keys answers them' });
  agent = Option.String('--agent', { description: 'the agent that a file must be a proof of' });
  card = Option.String('--card', { description: 'file with the card (svc card)' });
  clone = Option.String('--clone', { description: 'folder of a git clone that must have the commit' });
  image = Option.String('--image', { description: 'digest that the image must have' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { keysInFile, newestOf, proofInFile } = await import('../../proof/source.ts');
    const isFile = existsSync(this.what);
    const saved = isFile ? await proofInFile(this.what) : await newestOf(this.anonymous(), this.what);
    const keys = this.keys === undefined ? (await this.anonymous().public.receiptKeys()).keys : await keysInFile(this.keys);
    const { checkProof } = await import('#contract/wire/proof-check.ts');
    const verify = (signature: Uint8Array, message: Uint8Array, key: Uint8Array) => verifyAsync(signature, message, key, { zip215: false }).catch(() => false);
    const verdict = await checkProof({ proof: saved.proof, receipt: saved.receipt, keys, verify, beside: await this.#beside(saved, isFile) });
    const { proof, isAuthentic, findings } = verdict;
    const passed = isAuthentic && proof?.status === 'passed';
    const output = this.output(this.json);
    output.result({ authentic: isAuthentic, passed, findings, proof: proof ?? null, receipt: verdict.receipt ?? null }, () => {
      const of = proof ? `${plain(proof.proof_id)}, ${plain(proof.agent.name)}.${plain(proof.skill)} ${plain(proof.agent.version)}` : 'it';
      const head = passed ? `The proof holds, and it passed: ${of}` : isAuthentic ? `The proof is authentic; the skill FAILED: ${of}` : `The proof does NOT hold: ${of}`; // prettier-ignore
      return [passed ? output.good(head) : output.bad(head), ...findings.map((finding) => lineOf(finding))];
    });
    return passed ? EXIT.ok : EXIT.failure;
  }

  async #beside(saved: SavedProof, isFile: boolean): Promise<BesideProof> {
    const agent = isFile ? this.agent : this.what;
    const { decodeProof } = await import('#contract/wire/proof.ts');
    const payload = quietly(() => decodeProof(saved.proof).payload);
    const card = this.card === undefined ? await this.#publicCard(agent, isFile, payload?.agent.version) : await objectIn(this.card);
    return {
      agent,
      ...(card === undefined ? {} : { card }),
      ...(saved.args === undefined ? {} : { args: saved.args }),
      // A long result is not kept with its proof.
      ...(saved.has_result === true && saved.result !== null ? { result: saved.result } : {}),
      ...(this.clone === undefined || !payload?.head_sha ? {} : { hasCommit: await this.#hasCommit(this.clone, payload.head_sha) }),
      ...(this.image === undefined ? {} : { image: this.image }),
      fits: await fitting(),
    };
  }

  /** The card as it is now, where it is of the same version; with --keys and a file nothing is fetched. */
  async #publicCard(agent: string | undefined, isFile: boolean, version: string | undefined): Promise<unknown> {
    if (agent === undefined || (isFile && this.keys !== undefined)) return undefined;
    const shown = await this.anonymous().public.agent({ params: { name: agent } }).catch(() => undefined); // prettier-ignore
    return shown?.version === version ? (shown?.card ?? undefined) : undefined;
  }

  async #hasCommit(folder: string, commit: string): Promise<boolean> {
    if (!/^[0-9a-f]{40,64}$/.test(commit)) return false;
    const { runGit } = await import('../../git/run.ts');
    return (await runGit(this.context, ['-C', folder, 'cat-file', '-e', `${commit}^{commit}`])) === 0;
  }
}

async function fitting(): Promise<NonNullable<BesideProof['fits']>> {
  const { modelOf } = await import('#contract/wire/arguments.ts');
  return (schema, value) => quietly(() => modelOf(schema).safeParse(value).success);
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const WORDS: Record<Finding['is'], string> = { passed: 'holds      ', failed: 'FAILS      ', open: 'not checked' };

function lineOf({ name, is, says }: Finding): string {
  return `${WORDS[is]}  ${name}: ${plain(says)}`;
}

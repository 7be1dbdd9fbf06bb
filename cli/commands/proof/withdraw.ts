import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';

export class ProofWithdrawCommand extends ApiCommand {
  static override paths = [['proof', 'withdraw']];
  static override usage = Command.Usage({
    description: 'withdraw a proof that you published; this is final, and readers see the reason',
    examples: [['With a reason', 'svc proof withdraw prf_01… --reason "The arguments named a customer"']],
  });

  proofId = Option.String({ name: 'PROOF' });
  reason = Option.String('--reason', { required: true, description: 'public' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const proof = await this.client().agentProofs.withdraw({ params: { proof_id: this.proofId }, body: { reason: this.reason } });
    this.output(this.json).result(proof, () => [
      `${proof.proof_id} of ${proof.agent}.${proof.skill_name} is withdrawn. Its badge shows that until there is a newer proof.`,
    ]);
    return 0;
  }
}

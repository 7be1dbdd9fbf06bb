import { ProofListCommand } from '../commands/proof/list.ts';
import { ProofRunCommand } from '../commands/proof/run.ts';
import { ProofVerifyCommand } from '../commands/proof/verify.ts';
import { ProofWithdrawCommand } from '../commands/proof/withdraw.ts';

export const commands = [ProofRunCommand, ProofListCommand, ProofVerifyCommand, ProofWithdrawCommand];

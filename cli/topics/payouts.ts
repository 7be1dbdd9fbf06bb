import { PayoutsOwedCommand, PayoutsSettleCommand } from '../commands/payouts/operate.ts';
import { PayoutsAccountCommand, PayoutsEarningsCommand, PayoutsRunsCommand, PayoutsStatementCommand } from '../commands/payouts/show.ts';
import { PayoutsInclusionCommand, PayoutsVerifyCommand } from '../commands/payouts/verify.ts';

export const commands = [
  PayoutsEarningsCommand,
  PayoutsAccountCommand,
  PayoutsRunsCommand,
  PayoutsStatementCommand,
  PayoutsVerifyCommand,
  PayoutsInclusionCommand,
  PayoutsOwedCommand,
  PayoutsSettleCommand,
];

import { CreditsAddCommand } from '../commands/credits/add.ts';
import { CreditsCommand, CreditsTopUpsCommand } from '../commands/credits/show.ts';

export const commands = [CreditsCommand, CreditsAddCommand, CreditsTopUpsCommand];

import { SecretsDeleteCommand } from '../commands/secrets/delete.ts';
import { SecretsListCommand } from '../commands/secrets/list.ts';
import { SecretsSetCommand } from '../commands/secrets/set.ts';

export const commands = [SecretsListCommand, SecretsSetCommand, SecretsDeleteCommand];

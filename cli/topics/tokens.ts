import { TokensCreateCommand } from '../commands/tokens/create.ts';
import { TokensListCommand } from '../commands/tokens/list.ts';
import { TokensRevokeCommand } from '../commands/tokens/revoke.ts';

export const commands = [TokensListCommand, TokensCreateCommand, TokensRevokeCommand];

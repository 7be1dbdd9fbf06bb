import { DomainsAddCommand } from '../commands/domains/add.ts';
import { DomainsListCommand } from '../commands/domains/list.ts';
import { DomainsRemoveCommand } from '../commands/domains/remove.ts';
import { DomainsVerifyCommand } from '../commands/domains/verify.ts';

export const commands = [DomainsListCommand, DomainsAddCommand, DomainsVerifyCommand, DomainsRemoveCommand];

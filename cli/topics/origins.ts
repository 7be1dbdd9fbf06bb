import { OriginsListCommand } from '../commands/origins/list.ts';
import { OriginsSetCommand } from '../commands/origins/set.ts';

export const commands = [OriginsListCommand, OriginsSetCommand];

import { RulesListCommand } from '../commands/rules/list.ts';
import { RulesRmCommand } from '../commands/rules/rm.ts';
import { RulesSetCommand } from '../commands/rules/set.ts';

export const commands = [RulesListCommand, RulesSetCommand, RulesRmCommand];

import { FindingsAnswerCommand } from '../commands/findings/answer.ts';
import { FindingsListCommand } from '../commands/findings/list.ts';

export const commands = [FindingsListCommand, FindingsAnswerCommand];

import { TrialsCreateCommand, TrialsRateCommand, TrialsRunCommand, TrialsSelectCommand } from '../commands/trials/change.ts';
import { TrialsCheckCommand, TrialsListCommand, TrialsShowCommand } from '../commands/trials/show.ts';

export const commands = [
  TrialsCheckCommand,
  TrialsCreateCommand,
  TrialsListCommand,
  TrialsRateCommand,
  TrialsRunCommand,
  TrialsSelectCommand,
  TrialsShowCommand,
];

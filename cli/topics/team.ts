import { TeamMemoriesCommand, TeamProtocolsCommand, TeamRunsCommand, TeamScorecardsCommand, TeamShowCommand } from '../commands/team/show.ts';
import { TeamApproveCommand, TeamLearnCommand, TeamPlanCommand, TeamStartCommand } from '../commands/team/work.ts';

export const commands = [
  TeamApproveCommand,
  TeamLearnCommand,
  TeamMemoriesCommand,
  TeamPlanCommand,
  TeamProtocolsCommand,
  TeamRunsCommand,
  TeamScorecardsCommand,
  TeamShowCommand,
  TeamStartCommand,
];

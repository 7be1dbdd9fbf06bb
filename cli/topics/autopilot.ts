import { AutopilotCommand, AutopilotLookCommand, AutopilotOffCommand, AutopilotOnCommand } from '../commands/studio/autopilot.ts';
import { AutopilotAcceptCommand, AutopilotProposalsCommand, AutopilotRejectCommand, AutopilotShowCommand } from '../commands/studio/proposals.ts';

export const commands = [
  AutopilotCommand,
  AutopilotOnCommand,
  AutopilotOffCommand,
  AutopilotLookCommand,
  AutopilotProposalsCommand,
  AutopilotShowCommand,
  AutopilotAcceptCommand,
  AutopilotRejectCommand,
];

import {
  BrainFeedbackCommand,
  BrainNightCommand,
  BrainQueueCommand,
  BrainRunCommand,
  BrainSetCommand,
  BrainStaffCommand,
  BrainStatusCommand,
  BrainTownhallCommand,
  BrainUndoCommand,
} from '../commands/brain/brain.ts';

export const commands = [
  BrainStatusCommand,
  BrainFeedbackCommand,
  BrainNightCommand,
  BrainQueueCommand,
  BrainRunCommand,
  BrainSetCommand,
  BrainStaffCommand,
  BrainTownhallCommand,
  BrainUndoCommand,
];

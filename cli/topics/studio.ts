import { StudioClaimCommand, StudioGuestCommand } from '../commands/studio/guest.ts';
import { StudioMakeCommand, StudioResolveCommand } from '../commands/studio/make.ts';
import { StudioIdeasCommand, StudioRunsCommand, StudioShowCommand } from '../commands/studio/runs.ts';

export const commands = [
  StudioResolveCommand,
  StudioMakeCommand,
  StudioRunsCommand,
  StudioShowCommand,
  StudioIdeasCommand,
  StudioGuestCommand,
  StudioClaimCommand,
];

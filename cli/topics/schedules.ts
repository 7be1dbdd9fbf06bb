import { SchedulesDeleteCommand, SchedulesPauseCommand, SchedulesResumeCommand, SchedulesRunCommand } from '../commands/schedules/change.ts';
import { SchedulesCreateCommand } from '../commands/schedules/create.ts';
import { SchedulesListCommand } from '../commands/schedules/list.ts';
import { SchedulesPreviewCommand } from '../commands/schedules/preview.ts';
import { SchedulesUpdateCommand } from '../commands/schedules/update.ts';

export const commands = [
  SchedulesListCommand,
  SchedulesCreateCommand,
  SchedulesPreviewCommand,
  SchedulesUpdateCommand,
  SchedulesRunCommand,
  SchedulesPauseCommand,
  SchedulesResumeCommand,
  SchedulesDeleteCommand,
];

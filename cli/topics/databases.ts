import {
  DatabasesBindCommand,
  DatabasesBranchCommand,
  DatabasesCreateCommand,
  DatabasesDeleteCommand,
  DatabasesRotateCommand,
  DatabasesUnbindCommand,
  DatabasesUrlCommand,
} from '../commands/databases/change.ts';
import { DatabasesDescribeCommand, DatabasesEventsCommand, DatabasesListCommand, DatabasesStatusCommand } from '../commands/databases/list.ts';

export const commands = [
  DatabasesListCommand,
  DatabasesDescribeCommand,
  DatabasesCreateCommand,
  DatabasesBranchCommand,
  DatabasesBindCommand,
  DatabasesUnbindCommand,
  DatabasesRotateCommand,
  DatabasesUrlCommand,
  DatabasesEventsCommand,
  DatabasesStatusCommand,
  DatabasesDeleteCommand,
];

import { FilesGetCommand } from '../commands/files/get.ts';
import { FilesListCommand } from '../commands/files/list.ts';
import { FilesMvCommand } from '../commands/files/mv.ts';
import { FilesPutCommand } from '../commands/files/put.ts';
import { FilesRmCommand } from '../commands/files/rm.ts';
import { FilesShareCommand } from '../commands/files/share.ts';
import { FilesSharesCommand } from '../commands/files/shares.ts';
import { FilesUnshareCommand } from '../commands/files/unshare.ts';

export const commands = [
  FilesListCommand,
  FilesGetCommand,
  FilesPutCommand,
  FilesMvCommand,
  FilesRmCommand,
  FilesShareCommand,
  FilesSharesCommand,
  FilesUnshareCommand,
];

// Files of accounts, grants to agents, and what agents want to change.
import { migrationOf } from '../parts.ts';
import { files } from './workspace/files.ts';
import { grants } from './workspace/grants.ts';
import { uploads } from './workspace/uploads.ts';

export const { up, down } = migrationOf(files, uploads, grants);

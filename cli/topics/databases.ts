// Databases of an account and of its agents.
import { commands as change } from './databases/change.ts';
import { commands as show } from './databases/show.ts';
import { commands as watch } from './databases/watch.ts';

export const commands = [...show, ...change, ...watch];

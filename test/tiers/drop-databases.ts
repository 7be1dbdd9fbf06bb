// The databases of a test file go when it is over: hundreds are made in a run.
import { afterAll } from 'vitest';
import { dropDatabases } from '../support/servers.ts';

// Set up first, so it runs after all that the file has to close.
afterAll(() => dropDatabases());

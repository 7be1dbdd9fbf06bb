// svc openapi preview and generate against a real API: from a file, standard input and an address of this machine.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestApi } from '#api/http/test/server.ts';
import { library } from '#core/agents/openapi/test/library.ts';
import { cites } from '#test/spec/verifies.ts';
import { piped, signedIn, toolAt } from '../../test/signed-in.ts';

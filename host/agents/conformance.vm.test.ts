import { afterAll, beforeAll } from 'vitest';
import { runtimeConformance } from '#drivers/runtime/conformance.ts';
import { testHost, type TestHost } from '../test/support.ts';

let host: TestHost;
beforeAll(async () => void (host = await testHost()));
afterAll(() => host.end());

runtimeConformance(() => host.runtime);

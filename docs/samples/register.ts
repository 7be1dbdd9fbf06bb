// `node --import ./docs/samples/register.ts --test docs/samples/typescript/test/agent.ts` runs the sample's
// tests on the SDK of this repository.
import { registerProjectHooks } from '#sdk/typescript/dev/hooks.ts';

registerProjectHooks();

import { inAnyContext } from '../lib/any-context.ts';
import { FrontendBuildCommand } from '../commands/frontend/build.ts';
import { FrontendInfoCommand } from '../commands/frontend/info.ts';

export const commands = [inAnyContext(FrontendBuildCommand), inAnyContext(FrontendInfoCommand)];

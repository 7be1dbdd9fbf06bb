// Who somebody is: sessions and tokens, the embedded identity provider, dev boxes, flags.
import { migrationOf } from '../parts.ts';
import { devBoxes } from './identity/dev-boxes.ts';
import { flags } from './identity/flags.ts';
import { provider } from './identity/provider.ts';
import { sessions } from './identity/sessions.ts';

export const { up, down } = migrationOf(sessions, provider, devBoxes, flags);

// Every page of the dashboard. Each area names its own; a page is loaded when it is opened.
import { agentsPages } from '../agents/pages.ts';
import { conversationPages } from '../conversation/pages.ts';
import { docsPages } from '../docs/pages.ts';
import { evidencePages } from '../evidence/pages.ts';
import { identityPages } from '../identity/pages.ts';
import { moneyPages } from '../money/pages.ts';
import { orgsPages } from '../orgs/pages.ts';
import { overviewPages } from '../overview/pages.ts';
import { pausesPages } from '../pauses/pages.ts';
import { policyPages } from '../policy/pages.ts';
import { platformPages } from '../platform/pages.ts';
import { qualityPages } from '../quality/pages.ts';
import { runsPages } from '../runs/pages.ts';
import { studioPages } from '../studio/pages.ts';
import { workspacePages } from '../workspace/pages.ts';
import { root } from '../session/root.ts';
import { Frame } from './frame.tsx';
import { NotHere } from './not-here.tsx';

export const tree = root
  .update({ component: Frame, notFoundComponent: NotHere })
  .addChildren([
    ...identityPages,
    ...agentsPages,
    ...pausesPages,
    ...runsPages,
    ...conversationPages,
    ...workspacePages,
    ...evidencePages,
    ...qualityPages,
    ...overviewPages,
    ...moneyPages,
    ...policyPages,
    ...studioPages,
    ...orgsPages,
    ...platformPages,
    ...docsPages,
  ]);

// Every page of the dashboard. Each area names its own; a page is loaded when it is opened.
import { agentsPages } from '../agents/pages.ts';
import { docsPages } from '../docs/pages.ts';
import { evidencePages } from '../evidence/pages.ts';
import { identityPages } from '../identity/pages.ts';
import { moneyPages } from '../money/pages.ts';
import { orgsPages } from '../orgs/pages.ts';
import { policyPages } from '../policy/pages.ts';
import { platformPages } from '../platform/pages.ts';
import { runsPages } from '../runs/pages.ts';
import { studioPages } from '../studio/pages.ts';
import { workspacePages } from '../workspace/pages.ts';
import { root } from './root.tsx';

export const tree = root.addChildren([
  ...identityPages,
  ...agentsPages,
  ...runsPages,
  ...workspacePages,
  ...evidencePages,
  ...moneyPages,
  ...policyPages,
  ...studioPages,
  ...orgsPages,
  ...platformPages,
  ...docsPages,
]);

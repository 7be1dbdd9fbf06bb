// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { sealAuditLogs } from './audit/seal.ts';
import { recheckDomains } from './domain/verify.ts';
import { mailInvitations } from './member/mail.ts';

export const orgLoops: readonly AreaLoop[] = [
  { name: 'organization audit', everyMs: 1_000, run: (ctx) => sealAuditLogs(ctx) },
  { name: 'organization domains', everyMs: 600_000, run: (ctx) => recheckDomains(ctx) },
  { name: 'invitations', everyMs: 3_000, run: (ctx) => mailInvitations(ctx) },
];

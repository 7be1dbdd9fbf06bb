import type { compliance, complianceExports } from '#contract/orgs/compliance.ts';
import { cancelExport } from '#core/orgs/compliance/export/cancel.ts';
import { createExport } from '#core/orgs/compliance/export/create.ts';
import { exportFile, getExport, listExports } from '#core/orgs/compliance/export/read.ts';
import { putPolicy } from '#core/orgs/compliance/policy/put.ts';
import { readPolicy } from '#core/orgs/compliance/policy/read.ts';
import { listProfiles } from '#core/orgs/compliance/profile/list.ts';
import { putProfile } from '#core/orgs/compliance/profile/put.ts';
import { getRecord, listRecords } from '#core/orgs/compliance/records/read.ts';
import { enforceRetention } from '#core/orgs/compliance/retention/enforce.ts';
import { complianceStatus } from '#core/orgs/compliance/status/status.ts';
import { fileAnswer } from '../../http/file-answer.ts';
import type { Handlers } from '../../http/handlers.ts';

export const complianceRoutes: Handlers<typeof compliance> = {
  agents: (ctx, { params, query }) => listProfiles(ctx, { ...params, ...query }),
  putAgent: (ctx, { params, body }) => putProfile(ctx, { ...params, ...body }),
  records: (ctx, { params, query }) => listRecords(ctx, { ...params, ...query }),
  record: (ctx, { params }) => getRecord(ctx, params),
  export: (ctx, { params, body }) => createExport(ctx, { ...params, ...body }),
  policy: (ctx, { params }) => readPolicy(ctx, params),
  putPolicy: (ctx, { params, body }) => putPolicy(ctx, { ...params, ...body }),
  enforce: (ctx, { params, body }) => enforceRetention(ctx, { ...params, ...body }),
  status: (ctx, { params }) => complianceStatus(ctx, params),
};

export const complianceExportRoutes: Handlers<typeof complianceExports> = {
  exports: (ctx, { params, query }) => listExports(ctx, { ...params, ...query }),
  getExport: (ctx, { params }) => getExport(ctx, params),
  cancelExport: (ctx, { params }) => cancelExport(ctx, params),
  exportFile: async (ctx, { params }, http) => fileAnswer(http, await exportFile(ctx, params), { download: true }),
};

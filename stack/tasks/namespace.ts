// Sees that the Temporal namespace exists, keeps closed workflows for 30 days, and knows our search
// attributes; then ends.
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { msToTs } from '@temporalio/common/lib/time.js';
import { z } from 'zod';
import { devServerSearchAttributes } from '../temporal.ts';

const retention = msToTs('30 days');
const alreadyExists = 6;
const keyword = 2;

const { TEMPORAL_NAMESPACE: namespace } = z.object({ TEMPORAL_NAMESPACE: z.string() }).parse(process.env);
const connection = await Connection.connect({ ...loadClientConnectConfig().connectionOptions, connectTimeout: '5s' });
try {
  await connection.withDeadline(Date.now() + 30_000, async () => {
    await ensureNamespace();
    await ensureSearchAttributes();
  });
  console.log(`namespace ${namespace} is ready`);
} finally {
  await connection.close();
}

async function ensureNamespace() {
  try {
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: retention });
  } catch (error) {
    if (!isGrpcServiceError(error) || error.code !== alreadyExists) throw error;
    await connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: retention } });
  }
}

async function ensureSearchAttributes() {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = devServerSearchAttributes().filter((name) => !(name in customAttributes));
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, keyword]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}

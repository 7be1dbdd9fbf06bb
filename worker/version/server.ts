// What Temporal knows of the versions of our workflow code, and the few things we tell it.
import { isGrpcServiceError, type Client } from '@temporalio/client';

/** One name for all workers of the platform. */
export const deploymentName = 'svc';

const notFound = 5;
const failedPrecondition = 9;
const unimplemented = 12;
const permissionDenied = 7;

/** Whether this server knows versions; older ones and those where they are switched off do not. */
export async function knowsVersions(client: Client): Promise<boolean> {
  try {
    await client.workflowService.listWorkerDeployments({ namespace: client.options.namespace, pageSize: 1 });
    return true;
  } catch (error) {
    if (isGrpcServiceError(error) && (error.code === unimplemented || error.code === permissionDenied)) return false;
    throw error;
  }
}

/** New workflows, and open ones that follow the code, go to this version. False: the server has not heard from its worker yet. */
export async function makeCurrent(client: Client, buildId: string): Promise<boolean> {
  const { namespace, identity } = client.options;
  try {
    await client.workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId, identity, ignoreMissingTaskQueues: true });
    return true;
  } catch (error) {
    if (isGrpcServiceError(error) && (error.code === notFound || error.code === failedPrecondition)) return false;
    throw error;
  }
}

/** Undefined when none was ever made current. */
export async function currentBuild(client: Client): Promise<string | undefined> {
  try {
    const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment({ namespace: client.options.namespace, deploymentName });
    return workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId || undefined;
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === notFound) return undefined;
    throw error;
  }
}

const pinned = "ExecutionStatus = 'Running' AND TemporalWorkflowVersioningBehavior = 'Pinned'";

/** Open workflows that may only continue with this version's code. */
export async function countPinned(client: Client, buildId: string): Promise<number> {
  const { count } = await client.workflow.count(`${pinned} AND TemporalWorkerDeploymentVersion = '${deploymentName}:${buildId}'`);
  return count;
}

/** Ids of open workflows pinned to none of these versions. */
export async function pinnedElsewhere(client: Client, buildIds: readonly string[], limit: number): Promise<string[]> {
  const others = buildIds.map((id) => ` AND TemporalWorkerDeploymentVersion != '${deploymentName}:${id}'`).join('');
  const { executions } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    pageSize: limit,
    query: `${pinned} AND TemporalWorkerDeployment = '${deploymentName}'${others}`,
  });
  return executions.flatMap(({ execution }) => execution?.workflowId ?? []);
}

/** From now on it continues with the current code, whatever it was pinned to. */
export async function unpin(client: Client, workflowId: string): Promise<void> {
  await client.workflowService.updateWorkflowExecutionOptions({
    namespace: client.options.namespace,
    workflowExecution: { workflowId },
    workflowExecutionOptions: { versioningOverride: { autoUpgrade: true } },
    updateMask: { paths: ['versioning_override'] },
  });
}

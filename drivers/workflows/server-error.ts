// The gRPC error of the engine's server. Its client wraps some of them, and passes others on as they are.
import { isGrpcServiceError, ServiceError } from '@temporalio/client';

export { status } from '@grpc/grpc-js';

/** Undefined: the server did not refuse; something else went wrong. */
export function serverError(error: unknown): { code: number; details: string } | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) ? cause : undefined;
}

/** Ends a deployment: its author has to act, or it was cancelled; trying again cannot help. */
export class DeploymentFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'DeploymentFault';
    this.code = code;
  }
}

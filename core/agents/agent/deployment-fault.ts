/** Ends a deployment: its author has to act, or it was cancelled; trying again cannot help. */
export class DeploymentFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'DeploymentFault';
    this.code = code;
  }
}

/** The host that was to start it has no such image: it is started on another, or built again. */
export class ImageMissing extends Error {
  constructor(image: string, node: string) {
    super(`Host ${node} does not have image ${image.slice(0, 19)}`);
    this.name = 'ImageMissing';
  }
}

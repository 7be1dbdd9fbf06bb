/** Code that runs for people: no tests, what they share, templates or generated files. */
export const isOfProduction = (file: string): boolean =>
  /\.tsx?$/.test(file) &&
  !/\.test\.tsx?$|\.d\.ts$|(?:^|\/)(?:test|testing|templates|dist|samples|project|pictures)\/|conformance|(?:^|\/)(?:tables|client-routes)\.ts$/.test(file);

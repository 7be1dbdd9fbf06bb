// The lowest version of each framework that the Python SDK has an adapter for, and the frameworks that take minutes to install.
import { FRAMEWORKS } from '../support/languages/frameworks.ts';
import { proveFramework } from '../support/languages/framework-suite.ts';

const LARGE = new Set(['google_adk', 'crewai']);

for (const framework of FRAMEWORKS) {
  if (LARGE.has(framework.name)) proveFramework(framework, 'newest');
  proveFramework(framework, 'lowest');
}

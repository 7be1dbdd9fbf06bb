// Agents of other frameworks by the adapters of the Python SDK: the newest version of each. The lowest, and the large ones: python-adapters.outside.test.ts.
import { FRAMEWORKS } from '../support/languages/frameworks.ts';
import { proveFramework } from '../support/languages/framework-suite.ts';

const LARGE = new Set(['google_adk', 'crewai']);

for (const framework of FRAMEWORKS) if (!LARGE.has(framework.name)) proveFramework(framework, 'newest');

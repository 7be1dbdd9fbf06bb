// A description is read in a thread of its own, with memory and time of its own: millions of values would
// hold up every other request.
import { parentPort, workerData } from 'node:worker_threads';
import { projectFiles } from '../print/project.ts';
import { BadDescription } from './document.ts';
import type { Work, WorkResult } from './in-thread.ts';
import { agentNameFrom } from './names.ts';
import { planApi } from './plan.ts';
import { planPreview } from './preview.ts';

function work({ text, options, public: listed }: Work): WorkResult {
  try {
    const plan = planApi(text, options);
    const name = options.name ?? agentNameFrom(plan.title);
    const files = projectFiles({ name, plan, public: listed });
    return { ok: true, name, files, preview: planPreview(plan, files) };
  } catch (error) {
    if (error instanceof BadDescription) return { ok: false, message: error.message };
    throw error;
  }
}

// Safe: only in-thread.ts starts this file, with such data.
parentPort?.postMessage(work(workerData as Work));

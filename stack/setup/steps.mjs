// Runs the steps of the set-up side by side, each as soon as those it needs are done, and shows how far they
// are.
import { styleText } from 'node:util';
import { withLock } from './lock.mjs';
import { UserError } from './programs.mjs';

/**
 * A step: { name, after: [names], isDone(): boolean, run({ report, signal, ended }): Promise<void>, lock:
 * string }. `ended(name)` resolves when that step is done, for one that needs it in some cases only; at once
 * where it is not among those that run. `isDone` is quick; `run` makes things whole or not at all, so that it
 * may be interrupted at any moment and run again.
 */
export async function runSteps(steps, { output, signal }) {
  const open = steps.filter((step) => !step.isDone());
  if (open.length === 0) return;
  const board = output.isTTY ? liveBoard(open, output) : plainBoard(output);
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const running = new Map();
  for (const step of open) {
    const needed = (step.after ?? []).map((name) => running.get(name));
    running.set(
      step.name,
      Promise.all(needed).then(() => carryOut(step, board, ended, async (name) => void (await running.get(name)))),
    );
  }
  // The first failure ends the others politely; all of them have ended before it is reported.
  const results = await Promise.allSettled([...running.values()].map((step) => step.catch((error) => (stop.abort(), Promise.reject(error)))));
  board.end();
  const failed =
    results.find(({ status, reason }) => status === 'rejected' && !(reason instanceof Interrupted)) ?? results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

class Interrupted extends UserError {}

async function carryOut(step, board, signal, ended) {
  const interrupted = () => new Interrupted('Interrupted. Run it again and it goes on.');
  if (signal.aborted) throw interrupted();
  const report = (text) => board.report(step.name, text);
  report('');
  try {
    const work = async () => {
      if (!step.isDone()) await step.run({ report, signal, ended });
    };
    await withLock(step.lock, work, () => report('waiting for another set-up of the same'));
    board.done(step.name);
  } catch (error) {
    board.failed(step.name);
    throw signal.aborted ? interrupted() : error;
  }
}

/** One line per event; of the reports only some, so that a log stays readable. */
function plainBoard(output) {
  const begun = new Map();
  const shownAt = new Map();
  const say = (name, text) => output.write(`${name}: ${text}\n`);
  return {
    report(name, text) {
      if (!begun.has(name)) {
        begun.set(name, Date.now());
        shownAt.set(name, Date.now());
        say(name, 'started');
      } else if (Date.now() - shownAt.get(name) > 5_000 && text) {
        shownAt.set(name, Date.now());
        say(name, `${age(begun.get(name))}  ${text}`);
      }
    },
    done: (name) => say(name, `done in ${age(begun.get(name))}`),
    failed: (name) => say(name, 'stopped'),
    end() {},
  };
}

/** A line for each step, redrawn in place. */
function liveBoard(steps, output) {
  const lines = new Map(steps.map(({ name }) => [name, { text: 'waiting', mark: ' ' }]));
  let drawn = 0;
  const draw = () => {
    const width = (output.columns ?? 80) - 1;
    if (drawn > 0) output.write(`\x1b[${drawn}A`);
    for (const [name, line] of lines) {
      const took = line.begun === undefined ? '' : age(line.begun, line.ended);
      const text = `${line.mark} ${name.padEnd(16)} ${took.padStart(6)}  ${line.text}`.slice(0, width);
      output.write(`\x1b[2K${line.ended === undefined ? text : styleText(line.mark === '✔' ? 'green' : 'red', text)}\n`);
    }
    drawn = lines.size;
  };
  const set = (name, change) => {
    Object.assign(lines.get(name), change);
    draw();
  };
  draw();
  const timer = setInterval(draw, 500);
  return {
    report: (name, text) => set(name, { text, mark: '…', begun: lines.get(name).begun ?? Date.now() }),
    done: (name) => set(name, { text: '', mark: '✔', ended: Date.now() }),
    failed: (name) => set(name, { mark: '✘', ended: Date.now() }),
    end() {
      clearInterval(timer);
    },
  };
}

function age(from, to = Date.now()) {
  const seconds = (to - from) / 1000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')} m`;
}

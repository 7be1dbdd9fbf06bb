export interface Step {
  name: string;
  after?: string[];
  lock: string;
  isDone(): boolean;
  run(around: { report: (text: string) => void; signal: AbortSignal; ended: (name: string) => Promise<void> }): Promise<void>;
}
export declare function runSteps(
  steps: Step[],
  around: { output: { isTTY?: boolean; columns?: number; write(text: string): unknown }; signal: AbortSignal },
): Promise<void>;

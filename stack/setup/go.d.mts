import type { Step } from './steps.mjs';

type Environment = Readonly<Record<string, string | undefined>>;
export declare const goPackage: string;
export declare function findGo(env: Environment, cache: string): string | undefined;
export declare function withGo<E extends Environment>(env: E, cache: string): E;
export declare function goStep(env: Environment, cache: string, after: string[]): Step;

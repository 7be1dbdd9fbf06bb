// The one event a run's stream ends with.
import { SkillOutputError, SvcError } from '../authoring/errors.ts';
import { detailOf } from './http.ts';

export interface FinalEvent {
  kind: 'result' | 'failed';
  payload: object;
}

export function finalEvent(skill: string, result: Promise<unknown>, requestId: string): Promise<FinalEvent> {
  return result.then(
    (value) => {
      try {
        toJson(skill, value);
        return { kind: 'result', payload: { result: value ?? null } };
      } catch (error) {
        return failed(error, requestId);
      }
    },
    (error: unknown) => failed(error, requestId),
  );
}

function failed(error: unknown, requestId: string): FinalEvent {
  // The executor rejects with nothing else, and nor does toJson.
  const known = error instanceof SvcError ? error : new SkillOutputError('the run ended in an unknown way', { cause: error });
  return { kind: 'failed', payload: { status: known.status, detail: detailOf(known, requestId) } };
}

/** @throws SkillOutputError */
export function toJson(skill: string, result: unknown): string {
  try {
    return JSON.stringify(result ?? null) ?? 'null';
  } catch (error) {
    throw new SkillOutputError(`the result of "${skill}" is not a JSON value`, { cause: error });
  }
}

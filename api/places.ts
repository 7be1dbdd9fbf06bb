// How many requests may be under way at the same time: of one account or agent, and of all.
export interface Places {
  /** Undefined: there is none left; else what gives the place back. */
  enter(who: string): (() => void) | undefined;
}

export function createPlaces(atOnce: { each: number; all: number }): Places {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    enter(who) {
      const own = taken.get(who) ?? 0;
      if (own >= atOnce.each || all >= atOnce.all) return undefined;
      taken.set(who, own + 1);
      all += 1;
      return () => {
        all -= 1;
        const left = (taken.get(who) ?? 1) - 1;
        if (left === 0) taken.delete(who);
        else taken.set(who, left);
      };
    },
  };
}

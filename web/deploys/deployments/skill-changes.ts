interface WithSkills {
  skills: readonly { id: string }[];
}

export interface SkillChange {
  id: string;
  kind: 'added' | 'removed' | 'changed';
}

/** Between two cards; null: there was none. */
export function skillChanges(before: WithSkills | null, after: WithSkills | null): SkillChange[] {
  const [was, is] = [byId(before), byId(after)];
  return [...new Set([...is.keys(), ...was.keys()])].flatMap((id): SkillChange[] => {
    if (!was.has(id)) return [{ id, kind: 'added' }];
    if (!is.has(id)) return [{ id, kind: 'removed' }];
    return was.get(id) === is.get(id) ? [] : [{ id, kind: 'changed' }];
  });
}

function byId(card: WithSkills | null): Map<string, string> {
  return new Map(card?.skills.map((skill) => [skill.id, JSON.stringify(skill)]));
}

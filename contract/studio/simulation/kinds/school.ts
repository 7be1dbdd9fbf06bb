// Students learn from teachers for a fee, are examined, and may do real work once they have passed.
import { delegate, emitSignal, recordOutcome, scoreParticipant, useGrant } from '../acts.ts';
import { type Kind, permille, range, type Strategy } from '../kind.ts';
import { reputation, trustOf } from '../trust.ts';
import { type Actor, PLATFORM, type World } from '../world.ts';

const PASSED = 1;

/** Examines a student, and gives the one who passes a licence for a time. */
function examine(world: World, actor: Actor, from: number): void {
  const student = world.random.pick(world.inRole('student'));
  const [root] = actor.grants;
  if (!student || !root) return;
  const passed = student.skill >= from && world.random.chance(student.skill);
  scoreParticipant(world, actor, student, passed ? PASSED : 0);
  if (!passed) return;
  student.reviewed_at = world.step;
  if (student.grants.size > 0) return;
  const licence = { holder: student.index, actions: ['work'], allow: ['tasks/**'], deny: root.deny };
  delegate(world, actor, root, { ...licence, expires: Math.min(root.expires, world.step + world.rule('licence_steps')), budget: 0 });
}

const teachers: Record<string, Strategy> = {
  strict: {
    about: 'Lets only good students pass.',
    parameters: { from_permille: range(0, 1000, 700, 'skill that it asks for, in a thousand') },
    act: (world, actor) => examine(world, actor, actor.parameters['from_permille'] ?? 0),
  },
  lenient: {
    about: 'Lets most students pass.',
    parameters: { from_permille: range(0, 1000, 300, 'skill that it asks for, in a thousand') },
    act: (world, actor) => examine(world, actor, actor.parameters['from_permille'] ?? 0),
  },
};

function learn(world: World, actor: Actor): void {
  const teacher = world.random.pick(world.inRole('teacher'));
  if (!teacher || world.balance(actor) < world.rule('tuition_micros')) return;
  const { share, rest } = world.laws.split(world.rule('tuition_micros'), world.rule('fee_permille'));
  world.book.move(actor.account, teacher.account, rest);
  world.book.move(actor.account, PLATFORM, share);
  world.count('lessons');
  // The more one knows, the less a lesson adds.
  actor.skill += Math.floor(((1000 - actor.skill) * reputation(teacher)) / 10_000);
  emitSignal(world, actor, actor.skill);
}

/** Under a licence; done well, it is paid. */
function work(world: World, actor: Actor): void {
  const [licence] = actor.grants;
  const decision = useGrant(world, actor, licence, 'work', 'tasks/one', 0);
  if (decision !== 'allowed') return void world.count('refused');
  const good = world.random.chance(actor.skill);
  recordOutcome(world, actor, actor, good);
  if (good) world.book.move(0, actor.account, world.rule('wage_micros'));
  else if (world.random.chance(100)) actor.critical_at = world.step;
  world.count(good ? 'good_work' : 'bad_work');
}

const students: Record<string, Strategy> = {
  diligent: {
    about: 'Learns until it knows enough, then works, and learns again at times.',
    parameters: { enough_permille: range(0, 1000, 800, 'skill, in a thousand') },
    act: (world, actor) => (actor.skill < (actor.parameters['enough_permille'] ?? 0) || world.random.chance(100) ? learn(world, actor) : work(world, actor)),
  },
  hasty: {
    about: 'Works as soon as it may.',
    parameters: {},
    act: (world, actor) => (actor.grants.size > 0 ? work(world, actor) : learn(world, actor)),
  },
};

export const school: Kind = {
  title: 'School',
  about: 'Who learns, passes an examination and does well is trusted with work; who fails badly is not, until examined again.',
  roles: { teacher: teachers, student: students },
  rules: {
    tuition_micros: range(0, 1_000_000, 500, 'for a lesson'),
    wage_micros: range(0, 1_000_000, 900, 'for work done well'),
    fee_permille: range(0, 500, 100, "the platform's share of tuition, in a thousand"),
    licence_steps: range(1, 1000, 20, 'steps that a licence is good for'),
  },
  metrics: {
    skill_permille: 'mean skill of the students, in a thousand',
    licensed: 'students with a licence',
    trusted: 'students who are reviewed, and without a critical finding since',
    good_work: 'work done well in this step',
    students_micros: 'held by all students, micro-credits',
  },
  subject: 'student',
  studies: 'all',
  settle: () => undefined,
  sample(world) {
    let [n, skill, licensed, trusted, held] = [0, 0, 0, 0, 0];
    for (const actor of world.actors) {
      if (actor.role !== 'student') continue;
      n += 1;
      skill += actor.skill;
      held += world.balance(actor);
      if (actor.grants.size > 0) licensed += 1;
      if (trustOf(actor) === 'reviewed') trusted += 1;
    }
    return { skill_permille: n === 0 ? 0 : Math.floor(skill / n), licensed, trusted, good_work: world.since('good_work'), students_micros: held };
  },
  /** Work done well, for each student and step. */
  score(world) {
    const n = world.inRole('student').length;
    return Math.min(1000, permille(world.counted('good_work'), n * world.step)) * 100;
  },
};

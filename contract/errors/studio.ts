// Meta-runs, rehearsals.
// Meta-runs, simulations and evolution.
import { errors } from './kit.ts';

export const studioErrors = errors({
  meta_run_not_found: { status: 404, meaning: 'There is no such meta-run here.', remedy: 'List the meta-runs of the agent.' },
  meta_run_ended: { status: 409, meaning: 'The meta-run has ended.', remedy: 'Start another for what is left.' },
  too_many_meta_runs: { status: 409, meaning: 'The agent keeps as many goals for the user as allowed.', remedy: 'Delete some first.' },
  simulation_not_found: { status: 404, meaning: 'There is no such rehearsal of the agent.', remedy: 'List the rehearsals of the agent.' },
  simulation_running: {
    status: 409,
    meaning: 'The agent is being rehearsed, or the account has as many rehearsals under way as it may.',
    remedy: 'Wait for its end, or stop it.',
  },
  simulation_ended: { status: 409, meaning: 'The rehearsal has ended or is ending.', remedy: 'Start another one.' },
  scenario_not_found: { status: 404, meaning: 'The suite has no scenario of this name.', remedy: 'Take a name of GET …/scenarios, or of the suite.' },
  too_many_episodes: { status: 409, meaning: 'The rehearsal takes no more scenario runs.', remedy: 'Start another one.' },
  too_many_notes: { status: 409, meaning: 'The rehearsal takes no more notes.', remedy: 'Put what is left into one note.' },
  claims_to_apply: {
    status: 403,
    meaning: 'The note claims the right to apply something. A rehearsal changes nothing live.',
    remedy: 'Propose the change instead.',
  },
  protocol_not_found: { status: 404, meaning: 'The registry of the agent has no such protocol and version.', remedy: 'List the registry.' },
  protocol_exists: {
    status: 409,
    meaning: 'The registry has this protocol and version, which do not change.',
    remedy: 'Give the changed suite a new version.',
  },
  protocol_retired: { status: 409, meaning: 'The protocol is retired.', remedy: 'Rehearse a later version.' },
  protocol_move_refused: {
    status: 409,
    meaning: 'The protocol does not go to that state from where it is, or something is missing for it.',
    remedy: 'Do what the message says.',
  },
  too_many_protocols: { status: 409, meaning: 'The registry of the agent is full.', remedy: 'Use another version of a protocol that is there.' },
  kernel_run_not_found: { status: 404, meaning: 'There is no such simulation or comparison here.', remedy: 'List those of the account.' },
  kernel_run_open: {
    status: 409,
    meaning: 'The run has not come to its end, so there is nothing to compare with.',
    remedy: 'Wait for its end; repeat one that ended by itself.',
  },
  too_many_kernel_runs: { status: 409, meaning: 'The account has as many simulations under way as allowed.', remedy: 'Wait for one to end, or cancel one.' },
  nobody_to_work_for: { status: 403, meaning: 'The run works for no user whose goal it could be.', remedy: 'Call signed in.' },
  review_loop_not_found: { status: 404, meaning: 'The agent has no such review loop.', remedy: 'List its review loops.' },
  review_loop_running: { status: 409, meaning: 'A review loop of the agent is under way.', remedy: 'Wait for its end, or stop it.' },
  review_loop_ended: { status: 409, meaning: 'The review loop has ended.', remedy: 'Start another.' },
  nothing_to_challenge: {
    status: 409,
    meaning: 'The agent has no skill that the review loop could call.',
    remedy: 'Name skills that it has and that take calls.',
  },
  too_many_events: { status: 409, meaning: 'The review loop has taken as many events as it takes.', remedy: 'Report what matters most.' },
  apply_refused: {
    status: 403,
    meaning: 'The event claims the right to apply something; a review loop changes nothing.',
    remedy: 'Propose the change as text.',
  },
  finding_not_found: { status: 404, meaning: 'The agent has no such finding.', remedy: 'List its findings: svc findings.' },
  finding_answered: { status: 409, meaning: 'The finding was answered already.', remedy: 'Read its answer.' },
  finding_reproduces: {
    status: 409,
    meaning: 'The finding still shows in the live version.',
    remedy: 'Deploy the fix first, or answer accepted with a reason.',
  },
});

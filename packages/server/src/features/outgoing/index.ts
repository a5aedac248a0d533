/** Money out, once: every transfer out is an intent, whose signed bytes are stored before they are sent. Purposes supply what differs. */
export { type Attempt, findLatestAttempt, insertFoundAttempt, reopenLastAttempt } from './attempt-repository.ts';
export { bookOrUndo, settleSigned, signAndSend, signedOf } from './carry.ts';
export { followSteps } from './follow-steps.ts';
export { type IntentChange, listOpenIntents, moveIntent } from './intent-repository.ts';
export { again, DONE, type NextStep, POLL_SECONDS } from './next-step.ts';
export type { Booking, Outgoing } from './outgoing.ts';
export { type OpenState, openStates, signedStates } from './states.ts';
export { defineReconciler, defineStepJob, type StepKind, stepJob } from './step-jobs.ts';

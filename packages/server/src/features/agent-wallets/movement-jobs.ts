/** The job that advances one movement, and the reconciler that finds movements of crashed processes. */
import type { JobDefinition } from '../../platform/jobs/job.ts';
import { defineReconciler, defineStepJob, listOpenIntents, type StepKind, stepJob } from '../outgoing/index.ts';
import { advanceMovement } from './advance-movement.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';
import { movementPurposes } from './repository.ts';

const advancing: StepKind = { kind: 'movement.advance', queue: 'movements', field: 'movement_id' };

export const advanceMovementJob = (movementId: string, runAt?: Date) => stepJob(advancing, movementId, runAt);

export function movementJobs(context: AgentWalletsContext): readonly JobDefinition[] {
  return [
    defineStepJob(context, advancing, (id) => advanceMovement(context, id)),
    defineReconciler(context, {
      kind: 'movement.reconcile',
      step: advancing,
      listOpen: (limit) => listOpenIntents(context.database.db, movementPurposes, limit),
    }),
  ];
}

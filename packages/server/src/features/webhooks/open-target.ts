/** The target of an agent: its endpoint and its decrypted secrets. */
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { LaneTarget } from './lane.ts';
import type { TargetRow } from './queue-repository.ts';
import { type SigningKey, signingKeyOf } from './sign-webhook.ts';

export interface TargetOptions {
  readonly openSecret: (agentId: string, sealed: string) => string;
  readonly log: Logger;
}

/** Undefined when a secret cannot be opened: that agent waits, the others do not. */
export function openTarget(row: TargetRow, { openSecret, log }: TargetOptions): LaneTarget | undefined {
  const { agentId, name, secretSealed, previousSecretSealed, previousSecretUntil, ...rest } = row;
  const open = (sealed: string): SigningKey => signingKeyOf(openSecret(agentId, sealed));
  try {
    return {
      ...rest,
      agentName: name,
      secret: secretSealed === null ? null : open(secretSealed),
      previousSecret:
        previousSecretSealed === null || previousSecretUntil === null
          ? null
          : { secret: open(previousSecretSealed), until: previousSecretUntil },
    };
  } catch (error) {
    log.error({ err: error, agent: agentId }, 'the webhook secret of an agent cannot be opened');
    return undefined;
  }
}

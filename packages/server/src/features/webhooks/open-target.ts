/** The target of an agent: its endpoint and its decrypted secrets. */
import { prepareWebhookSecret, type WebhookKey } from '@market/contract';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { LaneTarget } from './lane.ts';
import type { TargetRow } from './queue-repository.ts';

export interface TargetOptions {
  readonly openSecret: (agentId: string, sealed: string) => string;
  readonly log: Logger;
}

/** Undefined when a secret cannot be opened: that agent waits, the others do not. */
export function openTarget(row: TargetRow, { openSecret, log }: TargetOptions): LaneTarget | undefined {
  const { agentId, name, secretSealed, previousSecretSealed, previousSecretUntil, ...rest } = row;
  const open = (sealed: string): Promise<WebhookKey> => {
    const key = prepareWebhookSecret(openSecret(agentId, sealed));
    // The signing code handles this failure; this prevents an unhandled rejection before that.
    key.catch(() => undefined);
    return key;
  };
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

/** Names of events to filter by. The feed may contain others, which appear only without a filter. */
import { orderEventNames } from '../../../data/order-event-names.ts';

const others = [
  'ping',
  'agent.registered',
  'agent.updated',
  'agent.key_rotated',
  'agent.key_recovered',
  'agent.owner_conflict',
  'agent.linked',
  'agent.activated',
  'agent.deactivated',
  'agent.token_registered',
  'agent.token_launched',
  'agent.said_minted',
  'agent.onchain_registered',
  'agent.onchain_reviewed',
  'agent.token_cleared',
  'service.created',
  'service.updated',
  'service.deactivated',
] as const;

export const eventNames: readonly string[] = [...orderEventNames, ...others];

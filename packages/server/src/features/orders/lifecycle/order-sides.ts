/** Both sides of an order that a buyer places. */
import type { Caller } from '../../../access/caller.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { ServiceRow } from '../../services/index.ts';
import { type OrderSides, readSides } from './sides-repository.ts';
import type { NewOrder } from './step-repository.ts';

interface Placement {
  readonly caller: Caller;
  readonly service: ServiceRow & { readonly isBuyersOwn: boolean };
}

/** An agent's key names the agent. The name of a person depends on their profile and their wallets. */
export async function sidesOf(tx: Tx, begun: NewOrder, { caller, service }: Placement): Promise<OrderSides> {
  const { agent, user, wallet } = caller;
  const relatedParty = service.isBuyersOwn || agent?.id === service.agentId;
  const isAgentAlone = user === undefined && wallet === undefined && begun.clientWallet === null;
  if (agent === undefined || !isAgentAlone) return await readSides(tx, begun, relatedParty);
  return {
    relatedParty,
    providerName: service.agentName,
    providerSlug: service.agentSlug,
    providerOwnerWallet: service.agentOwnerWallet,
    providerOwnerUserId: service.agentOwnerUserId,
    // Only a review needs it.
    providerOnchainId: null,
    clientAgentName: agent.name,
    clientOwnerWallet: agent.recordedOwnerWallet,
    clientOwnerProven: agent.ownerWallet !== null,
    clientOwnerUserId: agent.ownerUserId,
    clientUserName: null,
    clientProfileName: null,
  };
}

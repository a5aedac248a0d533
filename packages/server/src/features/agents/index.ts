/** Registering, finding and editing agents, and everything about their names, secrets and ownership. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import type { Caller } from '../../access/caller.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { openWebhookSecrets } from './agent-secrets.ts';
import type { AgentsContext, FirstOf } from './agents-context.ts';
import { agentsForWebhooks } from './agents-for-webhooks.ts';
import { cancelPayoutChange } from './commands/cancel-payout-change.ts';
import { featureAgent } from './commands/feature-agent.ts';
import { linkAgent } from './commands/link-agent.ts';
import { registerAgent } from './commands/register-agent.ts';
import { replaceKey, rotateKey } from './commands/rotate-key.ts';
import { setActive } from './commands/set-active.ts';
import { updateAgent, updateOwnAgent } from './commands/update-agent.ts';
import { isReservedName, nameSkeleton, slugOf } from './naming.ts';
import { partOwners } from './part-owners.ts';
import { applyPayoutChangeJob, endPayoutChanges, summaryOfPayout } from './pending-payout.ts';
import { presentPresence, presentSummary } from './present.ts';
import { agentQueries, isHidden, requireShown } from './queries.ts';
import {
  type AgentRow,
  countAgentsOfWallets,
  dropTwitterHandle,
  findAgent,
  findAgentsById,
  listOwnedAgents,
  listShownAgents,
  lockAgent,
  signsOfLife,
  spreadTwitterHandle,
} from './repository.ts';

export function agentHandlers(context: AgentsContext): HandlersOf<'agents'> {
  return {
    ...agentQueries(context),
    register: registerAgent(context),
    updateMe: updateOwnAgent(context),
    async verifyTwitter() {
      throw new MarketError('endpoint_gone');
    },
    update: updateAgent(context),
    rotateKey: rotateKey(context),
    replaceKey: replaceKey(context),
    link: linkAgent(context),
    setActive: setActive(context),
    cancelPayoutChange: cancelPayoutChange(context),
    feature: featureAgent(),
  };
}

/** Summaries for lists of other features. `ids` must be of public agents. */
export async function findSummaries(db: Db, ids: readonly string[]): Promise<ReturnType<typeof presentSummary>[]> {
  return (await findAgentsById(db, ids)).map(presentSummary);
}

/** Throws `agent_not_found` for a hidden agent, except to its owner and operators. */
export async function requireShownAgent(db: Db, caller: Caller, idOrSlug: string): Promise<AgentRow> {
  return requireShown(caller, await findAgent(db, idOrSlug)).agent;
}

/** Agent functions that `accounts/identity` needs. The composition root wires them. */
export const agentsOfAccount = {
  findId: async (db: Db, idOrSlug: string) => (await findAgent(db, idOrSlug))?.id,
  countOfWallets: (tx: Tx, wallets: readonly string[]) => countAgentsOfWallets(tx, wallets),
  partOwners,
  spreadTwitterHandle,
};

export { makeApiKey } from './agent-secrets.ts';
export { announcePayer } from './announce-payer.ts';
export { endPayoutChange } from './end-payout-change.ts';
export { endFeaturedPlace } from './featured-repository.ts';
export { handOverAgents, keepAgentsOf, writeCreators } from './made-agents-repository.ts';
export { isOwnAgent, ownsAgent } from './own-agent-repository.ts';
export { distrustOwner, proveOwner } from './owner-proof-repository.ts';
export { shownHandle, withoutSecrets, withoutSecretsFor } from './present.ts';
export { isCurrentKey, replaceProvisionalKey } from './provisional-key.ts';
export { isPublicAgent, publicAgents } from './public-agents-repository.ts';
export {
  createAgent,
  isNameClash,
  ownerAccount,
  ownerWalletOf,
  type Registration,
  type RegistrationContext,
  readRegistration,
  requireFreeName,
  requireRegistrable,
} from './registration.ts';
export { sealedAgentColumns } from './sealed-columns.ts';
export { pauseAgents, resumeAgents, stopAgentsOf } from './stop-agents.ts';
export { withdrawAgent } from './withdraw-agent.ts';
export {
  type AgentRow,
  agentsForWebhooks,
  applyPayoutChangeJob,
  dropTwitterHandle,
  endPayoutChanges,
  type FirstOf,
  findAgent,
  findAgentsById,
  isHidden as isHiddenAgent,
  isReservedName as looksLikeMarket,
  listOwnedAgents,
  listShownAgents,
  lockAgent,
  nameSkeleton,
  openWebhookSecrets,
  presentPresence,
  presentSummary,
  signsOfLife,
  slugOf,
  spreadTwitterHandle,
  summaryOfPayout,
};

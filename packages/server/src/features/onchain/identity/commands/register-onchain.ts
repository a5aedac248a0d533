/** POST /api/agents/{id}/onchain-identity: registers the agent in the Identity Registry, once, paid by the agent's own wallet. */
import { MarketError, operations } from '@market/contract';
import { requireFunder } from '../../../../access/authority/owners.ts';
import type { HandlersOf } from '../../../../access/call.ts';
import type { RegistrationCost } from '../../../../platform/chains/agent-registrar.ts';
import { TransferRefused } from '../../../../platform/chains/chain.ts';
import { readFreeCoins, requestContractCall, requireAgentBudget, requireWallet } from '../../../agent-wallets/index.ts';
import { type AgentRow, findAgent, isPublicAgent } from '../../../agents/index.ts';
import { fileAddress, NETWORK, type OnchainIdentityContext, type Registry, requireRegistry } from '../onchain-identity-context.ts';
import { type IdentityAnswer, inEther, presentRegistration } from '../present.ts';
import { insertRegistration, lockRegistration, type RegistrationState, readRegistration } from '../repository.ts';

export function registerOnchain(context: OnchainIdentityContext): HandlersOf<'onchainIdentity'>['register'] {
  const { agentWallets } = context;
  const { db } = agentWallets.database;
  return async ({ id }, call) => {
    const agent = await findAgent(db, id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    const by = await requireFunder(db, call, agent);
    await requireAgentBudget(agentWallets, call, operations.onchainIdentity.register, agent.id);
    requireFree(await readRegistration(db, agent.id));
    if (!isPublicAgent(agent)) throw new MarketError('onchain_identity_hidden');
    const registry = requireRegistry(context);
    if (!agentWallets.settings.enabled) throw new MarketError('wallets_disabled');
    const { address: wallet } = await requireWallet(agentWallets, agent.id, 'evm');
    const uri = fileAddress(context, agent.id);
    const coins = await readFreeCoins(agentWallets, agent, registry.chain, wallet);
    const cost = await requireCost(registry, wallet, uri);
    const refuseFunds = (free: bigint): never => {
      throw underfunded(wallet, cost, free);
    };
    if (coins.free < cost.required) refuseFunds(coins.free);
    await requestContractCall<IdentityAnswer>(agentWallets, call, {
      ...{ agent, by, wallet, coins, refuseFunds },
      purpose: 'agent_registration',
      network: NETWORK,
      contract: registry.address,
      required: cost.required,
      async store(tx, movementId) {
        requireFree(await lockRegistration(tx, agent.id));
        await insertRegistration(tx, { movementId, agentId: agent.id, registry: registry.name, uri });
      },
      present: async (tx) => presentRegistration(await requireStored(tx, agent), explorerUrl),
    });
    const end = await requireStored(db, agent);
    if (end.state === 'failed')
      throw await call.keepRefusal(
        new MarketError('onchain_identity_refused', { message: `The agent is not registered. ${end.reason ?? ''} You may try again.` }),
      );
    return { data: presentRegistration(end, explorerUrl) };
  };

  function explorerUrl(reference: string): string | null {
    return agentWallets.explorerUrl(NETWORK, reference);
  }
}

async function requireStored(db: Parameters<typeof readRegistration>[0], agent: AgentRow): Promise<RegistrationState> {
  const row = await readRegistration(db, agent.id);
  if (row === undefined) throw new Error(`the registration of ${agent.id} is gone`);
  return row;
}

function requireFree(row: RegistrationState | undefined): void {
  if (row?.state === 'made')
    throw new MarketError('onchain_identity_exists', { data: { registry: row.registry, agent_id: row.onchainId, tx_hash: row.reference } });
  if (row?.state === 'open') throw new MarketError('onchain_identity_in_progress');
}

async function requireCost({ registrar, address }: Registry, wallet: string, uri: string): Promise<RegistrationCost> {
  try {
    const cost = await registrar(wallet).estimate({ registry: address, uri });
    if (cost === undefined)
      throw new MarketError('onchain_identity_unavailable', {
        message: `There is no registry at ${address} on this chain. Nothing was changed.`,
      });
    return cost;
  } catch (error) {
    if (!(error instanceof TransferRefused)) throw error;
    throw new MarketError('onchain_identity_refused', { message: `${error.message} Nothing was spent.`, cause: error });
  }
}

function underfunded(wallet: string, { expected, required }: RegistrationCost, free: bigint): MarketError {
  const missing = required - (free > 0n ? free : 0n);
  return new MarketError('agent_wallet_underfunded', {
    message: `The agent’s wallet holds too little ETH on Base. It holds ${inEther(free)} ETH and needs ${inEther(required)}. Nothing was charged.`,
    data: {
      action: 'agent_registration',
      required_eth: inEther(required),
      cost_eth: inEther(expected),
      balance_eth: inEther(free),
      deposit_address: wallet,
      how_to_fund: `Send at least ${inEther(missing)} ETH on Base to ${wallet}, then repeat this call.`,
    },
  });
}

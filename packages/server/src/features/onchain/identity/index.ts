/** Agents in an ERC-8004 Identity Registry on Base. An agent is registered only when its owner asks, after the cost was shown. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { mayEditAgent } from '../../../access/ownership.ts';
import { readFreeCoins } from '../../agent-wallets/index.ts';
import { type AgentRow, findAgent } from '../../agents/index.ts';
import { readAgentWallets } from '../../wallet-keys/index.ts';
import { registerOnchain } from './commands/register-onchain.ts';
import { fileAddress, NETWORK, type OnchainIdentityContext, requireRegistry } from './onchain-identity-context.ts';
import { type IdentityAnswer, presentRegistration, presentUnregistered, type ShownCost } from './present.ts';
import { type RegistrationState, readRegistration } from './repository.ts';

export function onchainIdentityHandlers(context: OnchainIdentityContext): HandlersOf<'onchainIdentity'> {
  const { agentWallets } = context;
  const { db } = agentWallets.database;
  return {
    register: registerOnchain(context),
    async read({ id }, { caller }) {
      const agent = await findAgent(db, id);
      if (agent === undefined) throw new MarketError('agent_not_found');
      if (!mayEditAgent(caller, agent)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
      const row = await readRegistration(db, agent.id);
      if (row === undefined || row.state === 'failed') return { data: await readOffer(context, agent, row) };
      return { data: presentRegistration(row, (reference) => agentWallets.explorerUrl(NETWORK, reference)) };
    },
  };
}

/** Cost of a registration now. Amounts are null if the chain does not answer. */
async function readOffer(context: OnchainIdentityContext, agent: AgentRow, last: RegistrationState | undefined): Promise<IdentityAnswer> {
  const { agentWallets } = context;
  const { chain, registrar, address, name } = requireRegistry(context);
  const uri = fileAddress(context, agent.id);
  const { evm } = await readAgentWallets(agentWallets.database.db, agent.id);
  const wallet = evm === '' ? null : evm;
  const orUndefined = (error: unknown): undefined => {
    agentWallets.log.warn({ err: error, agent: agent.id }, 'the cost of a registration could not be read');
    return undefined;
  };
  let cost: ShownCost = { expected: undefined, required: undefined, free: undefined };
  if (wallet !== null) {
    const [terms, coins] = await Promise.all([
      registrar(wallet).estimate({ registry: address, uri }).catch(orUndefined),
      readFreeCoins(agentWallets, agent, chain, wallet).catch(orUndefined),
    ]);
    cost = { expected: terms?.expected, required: terms?.required, free: coins?.free };
  }
  return presentUnregistered({ registry: name, uri, wallet }, cost, last);
}

export type { OnchainIdentityContext } from './onchain-identity-context.ts';
export { registrationMovements } from './registration-movements.ts';

/**
 * Chooses the network and address of an agent's payout. The money leaves where it came in, unless the agent chose another chain and the
 * marketplace's own money there covers it.
 */
import { type AgentId, type NetworkName, payoutNetworks, type WalletChain } from '@market/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { lockFloat, readFloat } from '../ledger/index.ts';
import { readUnfinalMicros } from '../payments/index.ts';
import { type PayableAgent, provenDestinations, type WalletRow } from '../wallet-keys/index.ts';
import type { PayoutsContext } from './payouts-context.ts';

export interface PaidAgent extends PayableAgent {
  readonly id: AgentId;
  /** Null: never chosen. */
  readonly payoutChain: WalletChain | null;
  /** The agent's own wallets, if they were read with the agent. */
  readonly wallets?: readonly WalletRow[];
}

export interface PayoutRoute {
  readonly network: NetworkName;
  readonly destination: string;
}

export async function routePayout(
  tx: Tx,
  { chains, secrets }: Pick<PayoutsContext, 'chains' | 'secrets'>,
  agent: PaidAgent,
  sourceNetwork: NetworkName,
  amountMicros: bigint,
): Promise<PayoutRoute> {
  return await route(tx, { chains, secrets }, agent, sourceNetwork, amountMicros, lockFloat);
}

/** The route as of now: without locks, and it may change until the payout. */
export async function planRoute(
  db: Db,
  context: Pick<PayoutsContext, 'chains' | 'secrets'>,
  agent: PaidAgent,
  sourceNetwork: NetworkName,
  amountMicros: bigint,
): Promise<PayoutRoute> {
  return await route(db, context, agent, sourceNetwork, amountMicros, readFloat);
}

async function route<D extends Db>(
  db: D,
  { chains, secrets }: Pick<PayoutsContext, 'chains' | 'secrets'>,
  agent: PaidAgent,
  sourceNetwork: NetworkName,
  amountMicros: bigint,
  floatOf: (db: D, network: NetworkName) => Promise<bigint>,
): Promise<PayoutRoute> {
  const destinationOn = await provenDestinations(db, secrets, agent);
  const routeOn = (network: NetworkName): PayoutRoute => ({ network, destination: destinationOn(network) });
  const other = otherNetwork(agent.payoutChain, sourceNetwork, [...chains.keys()]);
  if (other === undefined || routeOn(other).destination === '') return routeOn(sourceNetwork);
  // Do not lend money that its chain may still revert: a reorganisation would turn the loan into a loss.
  const free = (await floatOf(db, other)) - (await readUnfinalMicros(db, other));
  return routeOn(amountMicros <= free ? other : sourceNetwork);
}

/** The network the agent would rather be paid on; undefined if the money is there already, or if we do not serve it. */
export function otherNetwork(
  choice: PaidAgent['payoutChain'],
  sourceNetwork: NetworkName,
  served: readonly NetworkName[],
): NetworkName | undefined {
  if (choice === null) return undefined;
  const network = payoutNetworks[choice];
  return network === sourceNetwork || !served.includes(network) ? undefined : network;
}

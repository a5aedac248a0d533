// Plays the demo content of Earn: deposits, an agent's idle earnings, and a withdrawal that waits. It reads the state so far, so an
// interrupted run continues and a second run does nothing.
import { MarketApiError, type MarketClient } from '@market/sdk';
import { demoAgentDeposit, demoDeposits, demoWithdrawal } from './content/earn.ts';
import type { Market } from './market-access.ts';
import type { OpenedBuyer } from './open-buyers.ts';
import type { OpenedAgent } from './open-offers.ts';
import { payForDeposit } from './pay-for-order.ts';
import { pollUntil } from './poll-until.ts';

export interface EarnPlayers {
  readonly market: Market;
  readonly customers: readonly OpenedBuyer[];
  readonly agents: ReadonlyMap<string, OpenedAgent>;
  readonly onProgress: (message: string) => void;
}

type Vault = Awaited<ReturnType<MarketClient['earn']['markets']>>['data']['products'][number]['markets'][number];

const NETWORK = 'base-mainnet';
const DEPLOY_SECONDS = 90;

export async function playEarn({ market, customers, agents, onProgress }: EarnPlayers): Promise<void> {
  const vaults = await readVaults(market);
  if (vaults.length === 0) return onProgress('no venue is configured, so nobody has deposited');
  for (const { buyer: key, strategy, usd } of demoDeposits) {
    const buyer = customers.find((customer) => customer.key === key);
    const vault = vaults.find((candidate) => candidate.strategy === strategy);
    if (buyer !== undefined && vault !== undefined) await deposit(market, buyer, vault, usd);
  }
  await depositIdle(market, agents.get(demoAgentDeposit.agent), vaults);
  await withdraw(market, customers, onProgress);
  onProgress(`${demoDeposits.length} people and an agent have deposited`);
}

async function readVaults(market: Market): Promise<readonly Vault[]> {
  try {
    return (await market.anyone.earn.markets()).data.products.flatMap(({ markets }) => markets);
  } catch (error) {
    if (error instanceof MarketApiError && error.status === 503) return [];
    throw error;
  }
}

async function deposit(market: Market, buyer: OpenedBuyer, { key }: Vault, usd: string): Promise<void> {
  const { data: known } = await buyer.client.earn.movements({ key });
  if (!known.some(({ kind }) => kind === 'deposit')) {
    await market.anyone.sandbox.faucet({ network: NETWORK, address: buyer.wallet.signer.address, usdc: usd });
    await payForDeposit(buyer, key, usd);
  }
  await untilDeposited(buyer.client, key);
}

/** Waits for the deposit: only the first deposit of a venue has the high minimum, so it must be in before the next. */
async function untilDeposited(client: MarketClient, key: string): Promise<void> {
  const look = async () => {
    const [first] = (await client.earn.movements({ key })).data.filter(({ kind }) => kind === 'deposit');
    return first?.status === 'deployed' ? true : undefined;
  };
  if ((await pollUntil(look, DEPLOY_SECONDS)) === undefined) throw new Error(`a deposit into ${key} was not taken in time`);
}

async function depositIdle(market: Market, agent: OpenedAgent | undefined, vaults: readonly Vault[]): Promise<void> {
  const vault = vaults.find(({ strategy }) => strategy === demoAgentDeposit.strategy);
  if (agent === undefined || vault === undefined) return;
  const { client, id } = agent;
  const { usd } = demoAgentDeposit;
  const { data: known } = await client.earn.movements({ key: vault.key });
  if (known.length === 0) {
    const { data: funding } = await client.wallets.funding({ id });
    const wallet = funding.balances.find(({ network }) => network === NETWORK);
    if (wallet === undefined) return;
    if (Number(wallet.usdc ?? 0) < Number(usd))
      await market.anyone.sandbox.faucet({ network: NETWORK, address: wallet.address, usdc: usd });
    await client.earn.agentDeposit({ id, key: vault.key, amount_usd: usd });
  }
  await untilDeposited(client, vault.key);
}

/** Withdraws after `lockPool` has left the pool without free USDC, so the withdrawal waits. */
async function withdraw(market: Market, customers: readonly OpenedBuyer[], onProgress: (message: string) => void): Promise<void> {
  const buyer = customers.find(({ key }) => key === demoWithdrawal.buyer);
  const vault = (await readVaults(market)).find(({ strategy }) => strategy === demoWithdrawal.strategy);
  if (buyer === undefined || vault === undefined) return;
  const { data: known } = await buyer.client.earn.movements({ key: vault.key });
  if (known.some(({ kind }) => kind === 'withdraw')) return;
  const { data: positions } = await buyer.client.earn.positions();
  const position = positions.find(({ key }) => key === vault.key);
  if (position === undefined) return;
  const free = BigInt(vault.available_usdc_micro);
  if (free > 0n) await lockPool(market, vault.key, free, onProgress);
  const value = BigInt(Math.round(Number(position.value_usd ?? position.principal_usd) * 1_000_000));
  const shares = (BigInt(position.shares) * demoWithdrawal.micros) / value;
  await buyer.client.earn.withdraw({ key: vault.key, shares: String(shares) });
}

async function lockPool(market: Market, key: string, micros: bigint, onProgress: (message: string) => void): Promise<void> {
  const usdc = `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`;
  try {
    await market.anyone.sandbox.changeVenue({ key, action: 'borrow', usdc });
  } catch (error) {
    // Chains that several markets share refuse changes of vaults; then the withdrawal is paid at once.
    if (!(error instanceof MarketApiError && error.code === 'invalid_input')) throw error;
    onProgress(`the pool keeps its USDC free: ${error.message}`);
  }
}

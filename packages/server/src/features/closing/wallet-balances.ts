/** Money in the agents' own wallets. Chains are asked outside of the transaction. */
import { type AgentId, formatUnits, formatUsd, networkFacts } from '@market/contract';
import { readAgentWallets } from '../wallets/index.ts';
import type { ClosingContext } from './closing-context.ts';
import { type OpenThing, openThing } from './open-things-repository.ts';

/** Less cannot be moved away in full: fees and rounding leave it. */
const LEAST_USDC_MICROS = 10_000n;
const LEAST_NATIVE = { solana: 5_000_000n, evm: 1_000_000_000_000_000n } as const;

/** Each costs a call per network. Whoever has more closes some alone first. */
const MOST_AGENTS = 50;

export async function listBalances({ database, chains }: ClosingContext, agents: readonly AgentId[]): Promise<OpenThing[]> {
  const found: OpenThing[] = [];
  for (const id of agents.slice(MOST_AGENTS))
    found.push(openThing('agent', id, `more than ${MOST_AGENTS} agents cannot be closed in one call`));
  for (const id of agents.slice(0, MOST_AGENTS)) {
    const wallets = await readAgentWallets(database.db, id);
    for (const [network, chain] of chains) {
      const { kind, coin, label } = networkFacts[network];
      const address = wallets[kind];
      if (address === '') continue;
      const { usdcMicros, native } = await chain.readBalances(address);
      if (usdcMicros >= LEAST_USDC_MICROS) found.push(openThing('wallet_balance', address, `${formatUsd(usdcMicros)} USDC on ${label}`));
      if (native >= LEAST_NATIVE[kind])
        found.push(openThing('wallet_balance', address, `${formatUnits(native, coin.decimals)} ${coin.symbol} on ${label}`));
    }
  }
  return found;
}

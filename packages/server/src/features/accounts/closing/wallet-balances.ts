/** Money in the agents' own wallets. Asks chains, so call it outside of the transaction. */
import { type AgentId, formatUnits, formatUsd, networkFacts } from '@market/contract';
import { readAgentWallets } from '../../wallet-keys/index.ts';
import type { ClosingContext } from './closing-context.ts';
import { type OpenThing, openThing } from './open-things-repository.ts';

/** Smaller balances count as empty: fees and rounding leave them behind. */
const MIN_USDC_MICROS = 10_000n;
const MIN_NATIVE = { solana: 5_000_000n, evm: 1_000_000_000_000_000n } as const;

/** Each agent costs a call per network. Owners of more agents close some of them alone first. */
const MAX_AGENTS = 50;

export async function listBalances({ database, chains }: ClosingContext, agents: readonly AgentId[]): Promise<OpenThing[]> {
  const found: OpenThing[] = [];
  for (const id of agents.slice(MAX_AGENTS))
    found.push(openThing('agent', id, `more than ${MAX_AGENTS} agents cannot be closed in one call`));
  for (const id of agents.slice(0, MAX_AGENTS)) {
    const wallets = await readAgentWallets(database.db, id);
    for (const [network, chain] of chains) {
      const { kind, coin, label } = networkFacts[network];
      const address = wallets[kind];
      if (address === '') continue;
      const { usdcMicros, native } = await chain.readBalances(address);
      if (usdcMicros >= MIN_USDC_MICROS) found.push(openThing('wallet_balance', address, `${formatUsd(usdcMicros)} USDC on ${label}`));
      if (native >= MIN_NATIVE[kind])
        found.push(openThing('wallet_balance', address, `${formatUnits(native, coin.decimals)} ${coin.symbol} on ${label}`));
    }
  }
  return found;
}

/** Opens the treasury's USDC account on Solana, which it needs to be paid. EVM treasuries need none. */
import { networkFacts } from '@market/contract';
import { createJsonRpcClient } from './json-rpc.ts';
import type { NetworkEndpoint } from './network-endpoints.ts';
import type { TreasurySigners } from './open-chains.ts';
import { ensureTreasuryAccount } from './solana/treasury-account.ts';

export async function ensureTreasuryAccounts({ network, urls, usdcAddress }: NetworkEndpoint, { solana }: TreasurySigners): Promise<void> {
  if (networkFacts[network].kind !== 'solana' || solana === undefined) return;
  await ensureTreasuryAccount({ network, usdcMint: usdcAddress, treasury: solana, rpc: createJsonRpcClient({ network, urls }) });
}

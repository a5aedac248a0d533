// Adds contracts that an earlier version's chain lacks: vaults, their router, registries. The chain itself stays.

import type { Chain } from './chain.ts';
import { USDC_ADDRESS } from './contracts/addresses.ts';
import type { Faucet } from './faucet.ts';
import { composeContracts } from './genesis.ts';
import { venueCash } from './genesis-venues.ts';
import type { Hex } from './hex.ts';

export interface AddContractsOptions {
  readonly chain: Chain;
  readonly faucet: Faucet;
  /** Maximum depth of a reorganisation. */
  readonly finalDepth: number;
  readonly log: (message: string) => void;
}

const BALANCE_OF = '0x70a08231';

export async function addMissingContracts({ chain, faucet, finalDepth, log }: AddContractsOptions): Promise<void> {
  const missing = [];
  for (const contract of composeContracts(chain.head.timestamp))
    if ((await chain.read<Hex>('eth_getCode', [contract.address, 'latest'])) === '0x') missing.push(contract);
  if (missing.length === 0) return;
  // Fund the venues first: after a crash in between, the next start finds their USDC and adds the contracts.
  for (const { address } of missing) {
    const lacking = (venueCash[address] ?? 0n) - (await readUsdc(chain, address));
    if (lacking > 0n) await faucet.fundUsdc(address, lacking);
  }
  await chain.place(missing, finalDepth);
  log(`added ${missing.length} contracts that this chain was made without`);
}

async function readUsdc(chain: Chain, address: Hex): Promise<bigint> {
  return BigInt(
    await chain.read<Hex>('eth_call', [{ to: USDC_ADDRESS, data: `${BALANCE_OF}${address.slice(2).padStart(64, '0')}` }, 'latest']),
  );
}

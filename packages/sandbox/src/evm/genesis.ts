// Block zero: the contracts at their addresses and the faucet's coins. It is stored once, so that a chain keeps the
// contracts of its first start (and its block hashes) when the sandbox's contracts change later.

import { readIfPresent, writeDurably } from '../state-file.ts';
import {
  DEPLOYMENT_PROXY_ADDRESS,
  IDENTITY_REGISTRY_ADDRESS,
  MULTICALL3_ADDRESS,
  REPUTATION_REGISTRY_ADDRESS,
  USDC_ADDRESS,
} from './contracts/addresses.ts';
import { sandboxIdentityRegistry } from './contracts/compiled/sandbox-identity-registry.generated.ts';
import { sandboxMulticall } from './contracts/compiled/sandbox-multicall.generated.ts';
import { sandboxReputationRegistry } from './contracts/compiled/sandbox-reputation-registry.generated.ts';
import { sandboxUsdc } from './contracts/compiled/sandbox-usdc.generated.ts';
import { composeVenues } from './genesis-venues.ts';
import { fromBytes, type Hex, toQuantity } from './hex.ts';
import { loadEdr } from './load-edr.ts';

export interface GenesisAccount {
  readonly address: Hex;
  readonly balance?: Hex;
  readonly code?: Hex;
  readonly storage?: Readonly<Record<Hex, Hex>>;
}

export interface Genesis {
  readonly chainId: number;
  readonly timeSeconds: number;
  readonly hardfork: string;
  readonly accounts: readonly GenesisAccount[];
}

/** The code on Base: CREATE2 with the first word of the call as salt and the rest as creation code. */
const DEPLOYMENT_PROXY_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

/** A billion ETH. */
const FAUCET_WEI = 10n ** 27n;

export interface GenesisOptions {
  readonly file: string;
  readonly chainId: number;
  readonly faucet: Hex;
  readonly now: () => number;
}

export async function openGenesis({ file, chainId, faucet, now }: GenesisOptions): Promise<Genesis> {
  const text = await readIfPresent(file);
  if (text === undefined) {
    const genesis = composeGenesis(chainId, Math.floor(now() / 1000), faucet);
    await writeDurably(file, JSON.stringify(genesis));
    return genesis;
  }
  const genesis: Genesis = JSON.parse(text);
  if (genesis.chainId !== chainId) {
    throw new Error(`${file} belongs to chain ${genesis.chainId}, not ${chainId}. Use another folder or remove this one.`);
  }
  if (!genesis.accounts.some(({ address }) => address === faucet)) {
    throw new Error(`${file} knows nothing of the faucet ${faucet}: the faucet's key was replaced. Restore it or remove the folder.`);
  }
  return genesis;
}

/** The contracts of every chain besides USDC. `add-contracts.ts` adds missing ones to chains of earlier versions. */
export function composeContracts(timeSeconds: number): readonly GenesisAccount[] {
  return [
    ...composeVenues(timeSeconds).accounts,
    { address: DEPLOYMENT_PROXY_ADDRESS, code: DEPLOYMENT_PROXY_CODE },
    { address: MULTICALL3_ADDRESS, code: sandboxMulticall.runtimeCode },
    { address: IDENTITY_REGISTRY_ADDRESS, code: sandboxIdentityRegistry.runtimeCode },
    { address: REPUTATION_REGISTRY_ADDRESS, code: sandboxReputationRegistry.runtimeCode },
  ];
}

function composeGenesis(chainId: number, timeSeconds: number, faucet: Hex): Genesis {
  const edr = loadEdr();
  const hardfork = edr.opLatestHardfork();
  const venues = composeVenues(timeSeconds);
  const predeployed = edr.opGenesisState(hardfork).map(({ address, balance, code, storage }) => ({
    address: fromBytes(address),
    ...(balance === undefined ? {} : { balance: toQuantity(balance) }),
    ...(code === undefined ? {} : { code: fromBytes(code) }),
    ...(storage === undefined
      ? {}
      : { storage: Object.fromEntries(storage.map(({ index, value }) => [toQuantity(index), toQuantity(value)])) }),
  }));
  return {
    chainId,
    timeSeconds,
    hardfork: edr.opHardforkToString(hardfork),
    accounts: [
      ...predeployed,
      {
        address: USDC_ADDRESS,
        code: sandboxUsdc.runtimeCode,
        storage: { [toQuantity(sandboxUsdc.slots.minter)]: faucet, ...venues.usdcStorage },
      },
      ...composeContracts(timeSeconds),
      { address: faucet, balance: toQuantity(FAUCET_WEI) },
    ],
  };
}

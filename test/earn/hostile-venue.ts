/** A venue on a market's chain that makes an honest venue's promises, and then behaves as the test sets. */
import { EARN_ROUTER_ADDRESS, hostileVenue } from '@market/sandbox/evm';
import type { Hex } from 'viem';
import { encodeDeployData, encodeFunctionData } from 'viem/utils';
import { createPayer, type EvmPayer, type PayableMarket } from '../harness/payers.ts';

/** The values of the contract's `enum Mode`. */
const modes = [
  'honest',
  'mints_less',
  'reverts',
  'calls_back',
  'mints_nothing',
  'takes_nothing',
  'pays_less',
  'pays_nothing',
  'burns_more',
] as const;
export type HostileMode = (typeof modes)[number];

export interface HostileVenue {
  readonly address: Hex;
  /** The value for the setting EARN_VENUES. */
  readonly setting: string;
  readonly vault: string;
  setMode(mode: HostileMode): Promise<void>;
  setPaused(isPaused: boolean): Promise<void>;
  /** Called in the middle of a deposit or a redemption, in mode `calls_back`. */
  setCallback(to: Hex, data: Hex): Promise<void>;
  /** Moves USDC out of the venue. */
  lose(micros: bigint): Promise<void>;
  /** Gives the venue USDC, so that every unit is worth more. */
  donate(micros: bigint): Promise<void>;
}

const { abi, creationCode } = hostileVenue;
const NETWORK = 'base-mainnet';

export async function deployHostileVenue(market: PayableMarket, name: string): Promise<HostileVenue> {
  const owner = (await createPayer(market, NETWORK, 100_000_000_000n)) as EvmPayer;
  const usdc = owner.chain.usdcAddress as Hex;
  const included = async (hash: Hex) => await owner.reader.waitForTransactionReceipt({ hash });
  const data = encodeDeployData({ abi, bytecode: creationCode, args: [usdc] });
  const { contractAddress } = await included(await owner.wallet.sendTransaction({ data, gas: 5_000_000n }));
  if (contractAddress === null || contractAddress === undefined) throw new Error('the hostile venue was not deployed');
  const address: Hex = contractAddress;
  const send = async (call: Hex): Promise<void> => {
    const { status } = await included(await owner.wallet.sendTransaction({ to: address, data: call, gas: 500_000n }));
    if (status !== 'success') throw new Error('the hostile venue does not obey');
  };
  return {
    address,
    setting: `${name}=erc4626:${address}`,
    vault: `${name}:usdc`,
    setMode: (mode) => send(encodeFunctionData({ abi, functionName: 'setMode', args: [modes.indexOf(mode)] })),
    setPaused: (isPaused) => send(encodeFunctionData({ abi, functionName: 'setPaused', args: [isPaused] })),
    setCallback: (to, call) => send(encodeFunctionData({ abi, functionName: 'setCallback', args: [to, call] })),
    lose: (micros) => send(encodeFunctionData({ abi, functionName: 'lose', args: [owner.address as Hex, micros] })),
    donate: async (micros) => {
      await owner.pay(address, micros);
    },
  };
}

/** A redemption through the router, as a venue would attempt it during a call of the router. */
export function callOfRouter(usdc: Hex, venue: Hex): { readonly to: Hex; readonly data: Hex } {
  const redeem = {
    type: 'function',
    name: 'redeem',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'usdc', type: 'address' },
      { name: 'venue', type: 'address' },
      { name: 'units', type: 'uint256' },
      { name: 'minAssets', type: 'uint256' },
      { name: 'intent', type: 'bytes32' },
    ],
    outputs: [{ name: 'assets', type: 'uint256' }],
  } as const;
  const args = [usdc, venue, 1n, 0n, `0x${'11'.repeat(32)}`] as const;
  return { to: EARN_ROUTER_ADDRESS, data: encodeFunctionData({ abi: [redeem], functionName: 'redeem', args }) };
}

/** Events of the router for the treasury, read from the chain alone. */
import { type Address, type Hex, parseAbi } from 'viem';
import type { EvmPayer } from '../harness/payers.ts';

export interface RouterEvent {
  readonly kind: 'Deposited' | 'Redeemed';
  readonly reference: Hex;
  readonly venue: Address;
  readonly assets: bigint;
  readonly units: bigint;
}

const routerAbi = parseAbi([
  'event Deposited(address indexed caller, bytes32 indexed intent, address indexed venue, uint256 assets, uint256 units)',
  'event Redeemed(address indexed caller, bytes32 indexed intent, address indexed venue, uint256 units, uint256 assets)',
]);
const unitsAbi = parseAbi(['function balanceOf(address) view returns (uint256)']);

/** In chain order. */
export async function readRouterLog({ reader, chain }: EvmPayer, router: string): Promise<RouterEvent[]> {
  const logs = await reader.getLogs({ address: router as Address, events: routerAbi, fromBlock: 0n, strict: true });
  return logs
    .filter(({ args }) => args.caller.toLowerCase() === chain.treasury.toLowerCase())
    .map(({ eventName, transactionHash, args: { venue, assets, units } }) => ({
      kind: eventName,
      reference: transactionHash,
      venue,
      assets,
      units,
    }));
}

/** Units of the venue that the treasury holds. */
export async function readHeldUnits({ reader, chain }: EvmPayer, venue: string): Promise<bigint> {
  return await reader.readContract({
    address: venue as Address,
    abi: unitsAbi,
    functionName: 'balanceOf',
    args: [chain.treasury as Address],
  });
}

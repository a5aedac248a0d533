/**
 * The claim stake: money that a claimant deposits with the marketplace. The table says who gets it after which command.
 * `decideStake` is the only code that knows these rules.
 */
import type { OrderCommand } from '../orders/lifecycle.ts';
import type { ClaimCommand } from './lifecycle.ts';

/** `returned`: to the wallet that paid it. `forfeited`: to the poster. */
export const stakeStatuses = ['held', 'returned', 'forfeited'] as const;
export type StakeStatus = (typeof stakeStatuses)[number];
export type StakeEnd = Exclude<StakeStatus, 'held'>;

type StakeRow =
  | { readonly after: 'claim'; readonly commands: readonly ClaimCommand[]; readonly to: StakeEnd }
  | { readonly after: 'order'; readonly commands: readonly OrderCommand[]; readonly to: StakeEnd };

const stakeLifecycle: readonly StakeRow[] = [
  // Another claim was accepted, or the bounty was cancelled, taken down or expired; the agent withdrew its claim, or the claim lapsed.
  { after: 'claim', commands: ['reject', 'withdraw', 'lapse'], to: 'returned' },
  // The winner's order ended. A winner who gives up in time, or loses a dispute, gets the stake back.
  { after: 'order', commands: ['approve', 'auto_release', 'rule_release', 'rule_split'], to: 'returned' },
  { after: 'order', commands: ['cancel', 'decline', 'refund', 'contest', 'rule_refund'], to: 'returned' },
  // The winner delivered nothing by the end of the grace. Any other forfeiture would reward posters for posting.
  { after: 'order', commands: ['expire'], to: 'forfeited' },
];

/** Returns undefined while the stake stays held. */
export function decideStake(after: 'claim' | 'order', command: ClaimCommand | OrderCommand): StakeEnd | undefined {
  return stakeLifecycle.find((row) => row.after === after && (row.commands as readonly string[]).includes(command))?.to;
}
